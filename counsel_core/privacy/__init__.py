"""What tells who somebody is, found in a text, and taken out before the text leaves this machine."""

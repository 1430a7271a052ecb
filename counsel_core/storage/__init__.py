"""Storage: sessions and their turns in one SQL database."""

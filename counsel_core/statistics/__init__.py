"""Statistics of scores: how near each source is to the reference, and how sure that is."""

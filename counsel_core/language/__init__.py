"""Whatever the project knows of text: sentence embeddings."""

"""Whatever the project knows of text: embeddings, language, sentences, sentiment, readability, emotions."""

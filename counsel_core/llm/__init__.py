"""Models: providers, the choice of a model, and structured answers."""

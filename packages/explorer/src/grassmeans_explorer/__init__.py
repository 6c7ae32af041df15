"""The explorer: a local web application on a model, and the HTTP API behind it."""

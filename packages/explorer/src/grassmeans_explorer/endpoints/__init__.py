"""The HTTP side: requests in, answers of the queries out."""

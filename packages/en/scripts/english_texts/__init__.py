"""The texts that the English model is made from: rules from raw repositories to documents."""

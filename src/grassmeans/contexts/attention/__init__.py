"""Leave-one-out attention: the network, its training, and how its weights are stored."""

"""The paper's experiments, the rivals and iterative decoding: nothing in the core knows them."""

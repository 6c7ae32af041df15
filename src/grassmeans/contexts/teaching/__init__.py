"""Students: networks that see the word, taught by a transformer and by leave-one-out lines."""

"""Models: where they are, and how they are opened, built, fitted and made small."""

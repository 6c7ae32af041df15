"""The version of all distributions of the project: written here, and nowhere else."""

__version__ = "0.2.0"

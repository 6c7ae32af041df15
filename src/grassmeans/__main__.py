"""``python -m grassmeans``: the command line, where its script is not on the path."""

from grassmeans.cli.main import run

if __name__ == "__main__":
    run()

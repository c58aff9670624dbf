"""Run the command `relay` as `python -m relay`, where it is not installed."""

import sys

from relay.cli.main import main

if __name__ == "__main__":
    sys.exit(main())

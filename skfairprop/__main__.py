"""``python -m skfairprop``: the command line."""

import sys

from skfairprop._command import main

if __name__ == "__main__":
    sys.exit(main())

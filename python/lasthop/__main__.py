"""The command: ``python -m lasthop run FILE``."""

import sys

from . import _lasthop


def main() -> int:
    """Run the command with the arguments of this process; return its exit code."""
    return _lasthop.main(["lasthop", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())

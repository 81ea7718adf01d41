"""The process of the machine that a probe's escapes aim at: says that it is there and waits. Standard library only."""

import sys


def main(arguments: list[str]) -> int:
    """Wait until standard input is closed."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.read()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

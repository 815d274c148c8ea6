"""The commands: words in, lines out, an exit status back."""

import sys

USAGE = "usage: todo COMMAND [WORD...]"

COMMANDS = {}


def main(argv, todos):
    """Runs one command on a list and gives its exit status."""
    command = COMMANDS.get(argv[0]) if argv else None
    if command is None:
        print(USAGE, file=sys.stderr)
        return 2
    return command(argv[1:], todos)

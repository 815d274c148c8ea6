"""`python -m todo`: the commands on the list in a file."""

import os
import sys
from pathlib import Path

from todo.cli import main
from todo.storage import StorageError, load, save


def run(argv, path):
    """Runs one command on the list kept at `path` and gives its exit status."""
    try:
        todos = load(path)
    except StorageError as error:
        print(error, file=sys.stderr)
        return 1
    status = main(argv, todos)
    if status == 0:
        save(todos, path)
    return status


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], Path(os.environ.get("TODO_FILE", "todo.json"))))

"""Lists in files."""

import json

from todo.todo_list import TodoList


class StorageError(Exception):
    pass


def load(path):
    """The list that is kept at `path`, an empty one where there is no file."""
    todos = TodoList()
    if not path.exists():
        return todos
    try:
        for kept in json.loads(path.read_text(encoding="utf-8"))["items"]:
            item = todos.add(kept["text"])
            item.done = bool(kept["done"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StorageError(f"{path} holds no todo list") from error
    return todos


def save(todos, path):
    items = [{"text": item.text, "done": item.done} for item in todos]
    path.write_text(json.dumps({"items": items}, ensure_ascii=False, indent=2), encoding="utf-8")

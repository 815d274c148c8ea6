"""The list itself: it knows nothing of files or terminals."""

from dataclasses import dataclass


@dataclass
class Item:
    number: int
    text: str


class TodoList:
    def __init__(self):
        self._items = []

    def __iter__(self):
        return iter(self._items)

    def add(self, text):
        """Adds an item at the end and gives it back."""
        text = text.strip()
        if not text:
            raise ValueError("an item needs a text")
        item = Item(len(self._items) + 1, text)
        self._items.append(item)
        return item

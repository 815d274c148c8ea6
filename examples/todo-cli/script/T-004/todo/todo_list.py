"""The list itself: it knows nothing of files or terminals."""

from dataclasses import dataclass


@dataclass
class Item:
    number: int
    text: str
    done: bool = False
    high: bool = False


class TodoList:
    def __init__(self):
        self._items = []

    def __iter__(self):
        return iter(self._items)

    def add(self, text, high=False):
        """Adds an item at the end and gives it back."""
        text = text.strip()
        if not text:
            raise ValueError("an item needs a text")
        item = Item(len(self._items) + 1, text, high=high)
        self._items.append(item)
        return item

    def get(self, number):
        """The item of that number; KeyError where there is none."""
        if not 1 <= number <= len(self._items):
            raise KeyError(number)
        return self._items[number - 1]

    def by_priority(self):
        """High ones first; sorting is stable, so each kind keeps its order."""
        return sorted(self._items, key=lambda item: not item.high)

import pytest

from todo.cli import main
from todo.todo_list import TodoList


def test_items_are_numbered_in_the_order_they_came():
    todos = TodoList()
    todos.add("buy milk")
    todos.add("call the bank")
    assert [(item.number, item.text) for item in todos] == [(1, "buy milk"), (2, "call the bank")]


def test_the_new_item_is_given_back_without_outer_blanks():
    assert TodoList().add("  buy milk ").text == "buy milk"


def test_a_blank_item_is_refused():
    todos = TodoList()
    with pytest.raises(ValueError):
        todos.add("   ")
    assert list(todos) == []


def test_add_and_list_print_what_they_did(capsys):
    todos = TodoList()
    assert main(["add", "buy", "milk"], todos) == 0
    assert main(["list"], todos) == 0
    assert capsys.readouterr().out == "added 1: buy milk\n1 [ ] buy milk\n"


def test_an_empty_list_says_so(capsys):
    assert main(["list"], TodoList()) == 0
    assert capsys.readouterr().out == "nothing to do\n"


def test_add_without_words_is_wrong(capsys):
    todos = TodoList()
    assert main(["add"], todos) == 1
    assert capsys.readouterr().err == "an item needs a text\n"

import pytest

from todo.cli import main
from todo.todo_list import TodoList


@pytest.fixture
def todos():
    made = TodoList()
    made.add("buy milk")
    made.add("call the bank")
    return made


def test_done_marks_one_item(todos, capsys):
    assert main(["done", "2"], todos) == 0
    assert capsys.readouterr().out == "done 2: call the bank\n"
    assert [item.done for item in todos] == [False, True]


def test_list_shows_what_is_done(todos, capsys):
    assert main(["done", "1"], todos) == 0
    capsys.readouterr()
    main(["list"], todos)
    assert capsys.readouterr().out == "1 [x] buy milk\n2 [ ] call the bank\n"


@pytest.mark.parametrize("word", ["9", "0", "-1", "milk"])
def test_a_number_that_is_not_there_is_wrong(todos, capsys, word):
    assert main(["done", word], todos) == 1
    assert capsys.readouterr().err == f"no item {word}\n"
    assert [item.done for item in todos] == [False, False]


def test_done_without_a_number_is_wrong_usage(todos, capsys):
    assert main(["done"], todos) == 2
    assert capsys.readouterr().err == "usage: todo done NUMBER\n"

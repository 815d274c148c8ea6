import json

import pytest

from todo.__main__ import run
from todo.storage import StorageError, load, save
from todo.todo_list import TodoList


def test_a_list_comes_back_as_it_was_saved(tmp_path):
    todos = TodoList()
    todos.add("buy milk")
    todos.add("straße fegen")
    todos.get(2).done = True
    save(todos, tmp_path / "todo.json")
    kept = load(tmp_path / "todo.json")
    assert [(item.number, item.text, item.done) for item in kept] == [(1, "buy milk", False), (2, "straße fegen", True)]


def test_a_file_that_is_not_there_is_an_empty_list(tmp_path):
    assert list(load(tmp_path / "todo.json")) == []


def test_the_file_is_json_with_a_list_of_items(tmp_path):
    todos = TodoList()
    todos.add("buy milk")
    save(todos, tmp_path / "todo.json")
    kept = json.loads((tmp_path / "todo.json").read_text(encoding="utf-8"))
    assert kept["items"][0]["text"] == "buy milk"


def test_nothing_else_is_left_in_the_folder(tmp_path):
    save(TodoList(), tmp_path / "todo.json")
    assert [path.name for path in tmp_path.iterdir()] == ["todo.json"]


@pytest.mark.parametrize("content", ["not json", "[]", '{"items": [{"text": 7}]}'])
def test_a_file_that_holds_no_list_is_named_and_left_alone(tmp_path, capsys, content):
    path = tmp_path / "todo.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(StorageError):
        load(path)
    assert run(["add", "buy milk"], path) == 1
    assert str(path) in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == content


def test_run_keeps_what_a_command_changed(tmp_path, capsys):
    assert run(["add", "buy", "milk"], tmp_path / "todo.json") == 0
    assert run(["list"], tmp_path / "todo.json") == 0
    assert capsys.readouterr().out == "added 1: buy milk\n1 [ ] buy milk\n"

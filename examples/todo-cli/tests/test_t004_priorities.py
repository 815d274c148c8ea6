import json

from todo.__main__ import run
from todo.cli import main
from todo.storage import load
from todo.todo_list import TodoList


def test_a_high_item_is_listed_first_and_marked(capsys):
    todos = TodoList()
    assert main(["add", "buy milk"], todos) == 0
    assert main(["add", "--high", "call", "the", "bank"], todos) == 0
    capsys.readouterr()
    main(["list"], todos)
    assert capsys.readouterr().out == "2 [ ] ! call the bank\n1 [ ] buy milk\n"


def test_an_item_keeps_its_number_and_can_be_done_by_it(capsys):
    todos = TodoList()
    main(["add", "buy milk"], todos)
    main(["add", "--high", "call the bank"], todos)
    assert main(["done", "2"], todos) == 0
    assert [item.number for item in todos if item.high and item.done] == [2]
    assert capsys.readouterr().out.endswith("done 2: call the bank\n")


def test_high_items_stand_in_the_order_they_came():
    todos = TodoList()
    for text, high in [("a", False), ("b", True), ("c", False), ("d", True)]:
        todos.add(text, high=high)
    assert [item.text for item in todos.by_priority()] == ["b", "d", "a", "c"]


def test_the_priority_is_kept_in_the_file(tmp_path):
    path = tmp_path / "todo.json"
    run(["add", "--high", "call the bank"], path)
    assert [(item.text, item.high) for item in load(path)] == [("call the bank", True)]


def test_a_file_from_before_there_were_priorities_still_loads(tmp_path):
    path = tmp_path / "todo.json"
    path.write_text(json.dumps({"items": [{"text": "buy milk", "done": True}]}), encoding="utf-8")
    assert [(item.text, item.done, item.high) for item in load(path)] == [("buy milk", True, False)]

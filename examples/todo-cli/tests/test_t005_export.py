import csv
import io

import pytest

from todo.cli import main
from todo.todo_list import TodoList


@pytest.fixture
def todos():
    made = TodoList()
    made.add("buy milk, eggs")
    made.add('say "hello"', high=True)
    made.add("straße fegen")
    made.get(3).done = True
    return made


def test_export_prints_a_markdown_task_list(todos, capsys):
    assert main(["export"], todos) == 0
    assert capsys.readouterr().out == '- [ ] **say "hello"**\n- [ ] buy milk, eggs\n- [x] straße fegen\n'


def test_export_as_csv_survives_commas_and_quotes(todos, capsys):
    assert main(["export", "--csv"], todos) == 0
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert rows == [
        ["number", "done", "high", "text"],
        ["1", "no", "no", "buy milk, eggs"],
        ["2", "no", "yes", 'say "hello"'],
        ["3", "yes", "no", "straße fegen"],
    ]


def test_exporting_changes_nothing(todos, capsys):
    before = [(item.number, item.text, item.done, item.high) for item in todos]
    assert main(["export"], todos) == 0
    assert main(["export", "--csv"], todos) == 0
    assert [(item.number, item.text, item.done, item.high) for item in todos] == before


def test_an_unknown_format_is_wrong_usage(todos, capsys):
    assert main(["export", "--pdf"], todos) == 2
    assert capsys.readouterr().err == "usage: todo export [--csv]\n"

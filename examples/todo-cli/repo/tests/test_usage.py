from todo.cli import main


def test_an_unknown_command_is_wrong_usage(capsys):
    assert main(["no-such-command"], None) == 2
    assert capsys.readouterr().err.startswith("usage:")

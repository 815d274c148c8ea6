"""Makes pytest's configuration ahead of a run. pytest would make it anew for each, before it looks at a project's
options, files or plugins."""

from __future__ import annotations

import inspect
import pathlib

from _pytest import config as of_pytest

from check.project import left_out_plugins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

AS_MAIN = {"prog": "pytest.main()"}


def make() -> None:
    global config
    known = inspect.signature(of_pytest.get_config).parameters
    named = {name: value for name, value in AS_MAIN.items() if name in known}
    config = of_pytest.get_config(left_out_plugins.refusals(), None, **named)


def hand_over() -> None:
    """Hands the configuration to the next run only: a run that a test starts makes its own."""
    make_another = of_pytest.get_config

    def get_config(
        args: Iterable[str] | None = None, plugins: Sequence[object] | None = None, **_: object
    ) -> of_pytest.Config:
        of_pytest.get_config = make_another
        called = of_pytest.Config.InvocationParams(args=args or (), plugins=plugins, dir=pathlib.Path.cwd())
        config.invocation_params = called
        return config

    of_pytest.get_config = get_config

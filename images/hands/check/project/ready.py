"""Makes pytest's configuration ahead of a run. pytest would make it anew for each, before it looks at a project's
options, files or plugins."""

import inspect
import pathlib

from _pytest import config as of_pytest

from check.project import left_out

AS_MAIN = {"prog": "pytest.main()"}


def make():
    global config
    known = inspect.signature(of_pytest.get_config).parameters
    named = {name: value for name, value in AS_MAIN.items() if name in known}
    config = of_pytest.get_config(left_out.refusals(), None, **named)


def hand_over():
    """Hands the configuration to the next run only: a run that a test starts makes its own."""
    make_another = of_pytest.get_config

    def get_config(args=None, plugins=None, **_):
        of_pytest.get_config = make_another
        called = {"args": args or (), "plugins": plugins, "dir": pathlib.Path.cwd()}
        config.invocation_params = of_pytest.Config.InvocationParams(**called)
        return config

    of_pytest.get_config = get_config

"""Reads what the project's configuration asks of pytest, and decides how much of it a check serves."""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import shlex
import sys
from pathlib import Path

from _pytest.config.findpaths import locate_config

from check.project.installed_plugins import DISTRIBUTIONS_LEFT_OUT, PLUGINS_LEFT_OUT, distribution

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import SupportsIndex

WORKSPACE = "/workspace"
TESTS = f"{WORKSPACE}/tests/"
INSTALLED_IN = "environment" if sys.prefix == "/opt/tilth/env" else "image"

# Options that only measure, spread or report, or that would stop the session early, with the values they take.
LEFT_OUT = {
    **dict.fromkeys(["--cov", "--json-report-summary"], "maybe"),
    **dict.fromkeys(
        """--cov-report --cov-config --cov-fail-under --cov-context --cov-precision --numprocesses --maxprocesses --dist
        --tx --max-worker-restart --maxschedchunk --rsyncdir --timeout --timeout-method --session-timeout --junitxml
        --junit-xml --junit-prefix --html --css --json-report-file --json-report-indent --report-log --alluredir
        --result-log --random-order-bucket --random-order-seed --randomly-seed --durations-path --store-durations
        --splits --group --pastebin -c --config-file --rootdir --benchmark-json --benchmark-save --benchmark-storage
        --benchmark-columns --benchmark-sort --benchmark-group-by --benchmark-min-rounds --benchmark-min-time
        --benchmark-max-time --benchmark-name --reruns --reruns-delay --only-rerun --rerun-except""".split(),
        "one",
    ),
    **dict.fromkeys(
        """--no-cov --cov-append --cov-branch --no-cov-on-fail --cov-reset --self-contained-html --json-report --boxed
        --forked --clean-alluredir --random-order --randomly-dont-reset-seed --randomly-dont-reorganize
        --force-sugar --emoji --instafail --sw --stepwise --sw-skip --stepwise-skip --sw-reset --stepwise-reset --pdb
        --trace -d -f --benchmark-disable --benchmark-skip --benchmark-autosave --benchmark-verbose --benchmark-quiet
        --benchmark-disable-gc --benchmark-save-data --fail-on-flaky --testmon --testmon-noselect""".split(),
        "none",
    ),
    "-n": "one",
}
# Settings of such plugins: unknown ones are errors where the project asks for strictness.
SETTINGS_LEFT_OUT = {
    "pytest_timeout": ["timeout", "timeout_method", "timeout_func_only", "session_timeout"],
    "pytest_html": ["render_collapsed", "initial_sort", "max_asset_filename_length", "environment_table_redact_list"],
    "pytest_rerunfailures": ["reruns", "reruns_delay"],
    "xdist": ["rsyncdirs", "rsyncignore", "looponfailroots"],
    # only tests that are coroutines need this plugin
    "pytest_asyncio": ["asyncio_mode", "asyncio_default_fixture_loop_scope", "asyncio_default_test_loop_scope"],
}


class ProjectOptions:
    """The project's options for the files that will run, found as pytest itself finds them."""

    def __init__(self, files: Sequence[str], serves: Callable[[str], bool] = lambda plugin: False) -> None:
        """`serves`: whether a plugin of that name, or of a package of that name, is going to be loaded."""
        self.folder, self.config = locate(files)
        self.serves = serves
        self.dropped: list[str] = []
        self.unserved: list[str] = []

    def paths(self) -> list[str]:
        """The folders of the project's modules, in order; all of them come behind the library and the image's
        packages."""
        source = os.path.join(WORKSPACE, "src")
        own = [os.path.normpath(os.path.join(self.folder, path)) for path in self.config.get("pythonpath", [])]
        return list(dict.fromkeys([WORKSPACE, *([source] if os.path.isdir(source) else []), *ROOTS, *own]))

    def arguments(self) -> list[str]:
        kept, self.dropped, self.unserved = served(self.config.get("addopts", []), self.serves)
        arguments = ["-o", f"addopts={shlex.join(kept)}"]
        if "pythonpath" in self.config:  # an older pytest takes no such setting where there is no file of settings
            arguments += ["-o", "pythonpath="]
        required = self.config.get("required_plugins", [])
        if required:
            left = [requirement for requirement in required if distribution(requirement) not in DISTRIBUTIONS_LEFT_OUT]
            self.dropped += [f"required_plugins: {requirement}" for requirement in required if requirement not in left]
            arguments += ["-o", f"required_plugins={shlex.join(left)}"]
        return arguments


class TreeBehind(list[str]):
    """A module search path on which the tree stays behind the library and what is installed, also where pytest or the
    project itself puts a folder of it to the front. Among themselves the tree's folders keep that order."""

    def __init__(self, paths: Iterable[str], tree: Iterable[str]) -> None:
        installed = without_tree(paths)
        super().__init__([*installed, *tree])
        self.boundary = len(installed)

    def insert(self, index: SupportsIndex, path: str) -> None:
        if index != 0 or not isinstance(path, str) or not is_in_tree(path):  # pyright: ignore[reportUnnecessaryIsInstance]
            super().insert(index, path)
        elif self[self.boundary : self.boundary + 1] != [path]:
            super().insert(self.boundary, path)


def without_tree(paths: Iterable[str]) -> list[str]:
    return [path for path in paths if not is_in_tree(path)]


def roots_of_environment() -> list[str]:
    """The folders of the project's modules, as its environment lists them for the programs in it."""
    lines: list[str] = []
    for folder in (path for path in sys.path if path.endswith("site-packages")):
        try:
            with open(os.path.join(folder, "tilth.pth"), encoding="utf-8") as file:
                lines += file.read().splitlines()
        except OSError:
            pass
    return [line for line in lines if line.startswith("/") and is_in_tree(line)]


def is_in_tree(path: str) -> bool:
    path = os.path.abspath(path)
    return path == WORKSPACE or path.startswith(WORKSPACE + "/")


def locate(files: Iterable[str]) -> tuple[str, dict[str, list[str]]]:
    ancestor = Path(os.path.commonpath([os.path.dirname(os.path.join(WORKSPACE, file)) for file in files]))
    try:
        if "invocation_dir" in inspect.signature(locate_config).parameters:
            found = locate_config(Path(WORKSPACE), [ancestor])
        else:
            found = locate_config([ancestor])
    except Exception:
        return WORKSPACE, {}  # pytest will say what is wrong with it
    _, path, config = found[:3]
    words = {name: as_words(config[name]) for name in ("addopts", "pythonpath", "required_plugins") if name in config}
    return str(path.parent) if path else WORKSPACE, words


def as_words(value: str | Iterable[object]) -> list[str]:
    value = getattr(value, "value", value)
    try:
        return shlex.split(value) if isinstance(value, str) else [str(word) for word in value]
    except (TypeError, ValueError):
        return []


def served(words: Iterable[str], serves: Callable[[str], bool]) -> tuple[list[str], list[str], list[str]]:
    """Splits a list of options into those kept, those left out, and those that nothing installed can serve."""
    kept: list[str] = []
    dropped: list[str] = []
    unserved: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        name, equals, _ = word.partition("=")
        if re.fullmatch(r"-n\w+", word):
            name, equals = "-n", "="
        if name == "-p" or re.match(r"-p[^-]", word):
            plugin = word[2:] or (left.pop(0) if left else "")
            is_there = serves(plugin) or plugin_is_there(plugin)
            (dropped if plugin in PLUGINS_LEFT_OUT else kept if is_there else unserved).append(f"-p{plugin}")
        elif name in LEFT_OUT:
            value = LEFT_OUT[name]
            if not equals and left and (value == "one" or (value == "maybe" and not left[0].startswith("-"))):
                word += f" {left.pop(0)}"
            dropped.append(word)
        else:
            kept.append(word)
    return kept, dropped, unserved


def plugin_is_there(name: str) -> bool:
    if name.startswith("no:"):
        return True
    for module in (name, f"_pytest.{name}"):
        try:
            if importlib.util.find_spec(module):
                return True
        except (ImportError, ValueError, AttributeError):
            pass
    return False


ROOTS = roots_of_environment()

"""Leaves out installed plugins that only measure, spread, reorder or report. Settings that a project has for them must
not become errors because of that."""

from __future__ import annotations

import importlib

import pytest

from check.project.installed_plugins import LEFT_OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from _pytest.config import PytestPluginManager

    from check.project.installed_plugins import Plugin

MARKERS = ("timeout(seconds)", "no_cover", "xdist_group(name)", "flaky(reruns)", "random_order(disabled)")
# Modules and classes in which these plugins declare hooks; a conftest may implement some.
HOOKS = {
    "xdist": [("xdist.newhooks", "")],
    "pytest_html": [("pytest_html.hooks", "")],
    "pytest_timeout": [("pytest_timeout", "TimeoutHooks")],
    "pytest_jsonreport": [("pytest_jsonreport.plugin", "Hooks")],
}


def refusals() -> list[str]:
    """Options that keep them out, however they are asked for."""
    names = {name for plugin in LEFT_OUT for name in (plugin.name, plugin.module, package_of(plugin))}
    return [option for name in sorted(names) for option in ("-p", f"no:{name}")]


def stand_ins() -> list[object]:
    packages = {package_of(plugin) for plugin in LEFT_OUT}
    return [*([LeftOutDeclarations(packages)] if packages else []), *([OneProcess()] if "xdist" in packages else [])]


def package_of(plugin: Plugin) -> str:
    return plugin.module.partition(".")[0]


class LeftOutDeclarations:
    """The hooks and markers of these packages, which a project may use without having the plugins."""

    def __init__(self, packages: Collection[str]) -> None:
        self.packages = packages

    def pytest_addhooks(self, pluginmanager: PytestPluginManager) -> None:
        for module, name in (place for package in sorted(self.packages) for place in HOOKS.get(package, ())):
            try:
                found = importlib.import_module(module)
                pluginmanager.add_hookspecs(getattr(found, name) if name else found)
            except (ImportError, AttributeError, ValueError):
                pass  # another version of the plugin: pytest will complain to a conftest that has such hooks

    def pytest_configure(self, config: pytest.Config) -> None:
        for marker in MARKERS:
            config.addinivalue_line("markers", f"{marker}: of a plugin that is left out")


class OneProcess:
    """The fixtures of xdist by which tests tell their processes apart, for a run in a single process."""

    @pytest.fixture(scope="session")
    def worker_id(self) -> str:
        return "master"

    @pytest.fixture(scope="session")
    def testrun_uid(self) -> str:
        return "0" * 32

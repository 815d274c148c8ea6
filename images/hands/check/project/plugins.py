"""Imports the pytest plugins of installed packages before any tree arrives, and makes them the ones that pytest finds.
The metadata of a tree neither adds a plugin nor replaces one."""

from __future__ import annotations

import inspect
import sys
import types

import pytest
from _pytest.assertion import rewrite
from _pytest.config import Config, PytestPluginManager, _iter_rewritable_modules  # pyright: ignore[reportPrivateUsage]
from pluggy._manager import DistFacade

from check.project.installed_plugins import FOUND, GROUP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from check.project.installed_plugins import Plugin

REPLACED: tuple[tuple[type, str], ...] = (
    (Config, "_mark_plugins_for_rewrite"),
    (PytestPluginManager, "load_setuptools_entrypoints"),
)
missing = [name for kind, name in REPLACED if not hasattr(kind, name)]
if missing:
    raise ImportError(f"pytest {pytest.__version__} has no {missing[0]}, by which plugins are loaded")
if "wrapper" not in inspect.signature(pytest.hookimpl.__call__).parameters:
    raise ImportError("the pluggy of this environment is too old for checks: pin pluggy>=1.2 in the dependency files")


def import_ahead() -> bool:
    """Imports the plugins with pytest's rewriting, and says whether there were any. One that needs the project is
    imported after it."""
    ahead = [plugin for plugin in FOUND if not plugin.is_own]
    if not ahead:
        return False
    hook = rewrite.AssertionRewritingHook(no_configuration())
    hook.mark_rewrite(*(name for plugin in ahead for name in rewritable(plugin)))
    sys.meta_path.insert(0, hook)
    try:
        for plugin in ahead:
            try:
                plugin.load()
            except (Exception, SystemExit, pytest.skip.Exception):
                pass  # the error is told when the plugin is wanted
    finally:
        sys.meta_path.remove(hook)
    return True


def no_configuration() -> Any:
    """The parts of a configuration that the hook asks for, before there is one."""
    settings: dict[str, object] = {"python_files": [], "enable_assertion_pass_hook": False}
    state = types.SimpleNamespace(trace=nothing, mode="rewrite", hook=None)
    return types.SimpleNamespace(
        getini=settings.__getitem__,
        stash={rewrite.assertstate_key: state},
        issue_config_time_warning=nothing,
    )


def nothing(*_: object, **__: object) -> None:
    """Stands for a method of pytest that there is nothing to tell."""


def serve(ready: Callable[[Config], object], failed: Callable[[str, Exception], object]) -> None:
    """Makes these the plugins that pytest finds. `ready` is called with the configuration before the first of them or
    of the project's is loaded, `failed` with the error that kept one from being imported."""

    def mark(config: Config, hook: rewrite.AssertionRewritingHook, *_: object) -> None:
        config.pluginmanager.rewrite_hook = hook
        hook.mark_rewrite(*(name for plugin in FOUND if not plugin.loaded for name in rewritable(plugin)))
        ready(config)

    def load(manager: PytestPluginManager, group: str, name: str | None = None) -> int:
        count = 0
        for plugin in FOUND if group == GROUP else ():
            is_asked_for = name is None or plugin.name == name
            if is_asked_for and not manager.get_plugin(plugin.name) and not manager.is_blocked(plugin.name):
                register(manager, plugin)
                count += 1
        return count

    def register(manager: PytestPluginManager, plugin: Plugin) -> None:
        try:
            loaded = plugin.load()
        except pytest.UsageError:
            raise
        except Exception as error:
            failed(plugin.module, error)
            of = f"{plugin.name}, a plugin of {plugin.distribution.metadata['Name']}"
            raise pytest.UsageError(f"{of}, cannot be imported: {type(error).__name__}: {error}") from error
        manager.register(loaded, name=plugin.name)
        manager._plugin_distinfo.append((loaded, DistFacade(plugin.distribution)))

    for (kind, name), function in zip(REPLACED, (mark, load), strict=True):
        setattr(kind, name, function)


def rewritable(plugin: Plugin) -> set[str]:
    return {*_iter_rewritable_modules(str(file) for file in plugin.distribution.files or [])} - {*sys.modules}

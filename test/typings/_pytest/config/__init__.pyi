from collections.abc import Iterable, Iterator, Sequence

from _pytest.assertion.rewrite import AssertionRewritingHook
from pluggy._manager import DistFacade
from pytest import Config as Config

default_plugins: tuple[str, ...]

class PytestPluginManager:
    rewrite_hook: AssertionRewritingHook
    _plugin_distinfo: list[tuple[object, DistFacade]]
    def add_hookspecs(self, module_or_class: object) -> None: ...
    def get_plugin(self, name: str) -> object | None: ...
    def is_blocked(self, name: str) -> bool: ...
    def register(self, plugin: object, name: str | None = None) -> str | None: ...

def get_config(
    args: Iterable[str] | None = None, plugins: Sequence[object] | None = None, **named: object
) -> Config: ...
def _iter_rewritable_modules(package_files: Iterable[str]) -> Iterator[str]: ...

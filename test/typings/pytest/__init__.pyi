import builtins
import enum
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, TypeVar

from _pytest.config import PytestPluginManager

_F = TypeVar("_F", bound=Callable[..., object])
_N = TypeVar("_N", bound=Node)

__version__: str

class UsageError(Exception): ...

class ExitCode(enum.IntEnum):
    INTERNAL_ERROR = 3

class Mark:
    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

class MarkDecorator:
    def with_args(self, *args: object, **kwargs: object) -> MarkDecorator: ...

class MarkGenerator:
    def __getattr__(self, name: str) -> MarkDecorator: ...

mark: MarkGenerator

class FixtureDef:
    argnames: Sequence[str]
    params: Sequence[object] | None

class FixtureManager:
    def getfixturedefs(self, argname: str, node: Node | str) -> Sequence[FixtureDef] | None: ...

class FuncFixtureInfo:
    name2fixturedefs: dict[str, Sequence[FixtureDef]]

class FixtureRequest:
    _arg2fixturedefs: dict[str, Sequence[FixtureDef]]

class Config:
    class InvocationParams:
        def __init__(self, *, args: Iterable[str], plugins: Sequence[object] | None, dir: Path) -> None: ...

    args: list[str]
    option: Any
    invocation_params: InvocationParams
    pluginmanager: PytestPluginManager
    def getini(self, name: str) -> Any: ...
    def addinivalue_line(self, name: str, line: str) -> None: ...

class Parser:
    def addini(self, name: str, help: str) -> None: ...
    def parse_known_and_unknown_args(self, args: Sequence[str]) -> tuple[object, list[str]]: ...

class Session:
    items: list[Item]
    _fixturemanager: FixtureManager

class Node:
    name: str
    nodeid: str
    parent: Node
    session: Session
    config: Config
    def getparent(self, cls: type[_N]) -> _N | None: ...
    def iter_markers(self) -> Iterator[Mark]: ...
    def get_closest_marker(self, name: str) -> Mark | None: ...
    def add_marker(self, marker: MarkDecorator) -> None: ...

class Item(Node): ...

class Collector(Node):
    class CollectError(Exception): ...

class Module(Collector):
    obj: ModuleType

class Class(Collector):
    @classmethod
    def from_parent(cls, parent: Node, *, name: str, nodeid: str) -> Class: ...

class Function(Item):
    obj: Callable[..., object]
    module: ModuleType
    fixturenames: list[str]
    _fixtureinfo: FuncFixtureInfo
    _request: FixtureRequest
    @classmethod
    def from_parent(cls, parent: Node, *, name: str) -> Function: ...

class ExceptionInfo:
    value: BaseException

class CallInfo:
    when: str
    excinfo: ExceptionInfo | None

class CollectReport:
    nodeid: str
    outcome: str
    when: str
    passed: bool
    failed: bool
    skipped: bool
    longreprtext: str

class TestReport(CollectReport): ...

class _Outcome:
    class Exception(builtins.Exception):
        pytrace: bool

    def __call__(self, reason: str = "") -> NoReturn: ...

fail: _Outcome
skip: _Outcome
xfail: _Outcome

def approx(expected: object) -> object: ...
def raises(expected_exception: type[BaseException]) -> object: ...
def fixture(*, scope: str) -> Callable[[_F], _F]: ...
def hookimpl(*, wrapper: bool = False, tryfirst: bool = False, trylast: bool = False) -> Callable[[_F], _F]: ...
def main(args: list[str], plugins: Sequence[object]) -> int | ExitCode: ...

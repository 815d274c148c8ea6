"""Evaluates the conditions of marks where nothing of the project is. One that cannot be told there counts as not
holding."""

from __future__ import annotations

import ast
import os
import platform
import select
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

TREE = "/workspace"
SECONDS = 3


def holding(module: ast.Module, conditions: Sequence[ast.expr]) -> list[bool]:
    constants = [condition for condition in conditions if isinstance(condition, ast.Constant)]
    if len(constants) == len(conditions):
        return [bool(condition.value) for condition in constants]
    told, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(tell, 3)
            os.closerange(4, 4096)
            evaluate(module, conditions, 3)
        finally:
            os._exit(0)
    os.close(tell)
    try:
        answers = read_until(told, len(conditions), time.monotonic() + SECONDS)
    finally:
        os.close(told)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return [at < len(answers) and answers[at : at + 1] == b"1" for at in range(len(conditions))]


def read_until(fd: int, size: int, deadline: float) -> bytes:
    found = b""
    while len(found) < size and (left := deadline - time.monotonic()) > 0:
        if select.select([fd], [], [], left)[0]:
            chunk = os.read(fd, size - len(found))
            if not chunk:
                break
            found += chunk
    return found


def evaluate(module: ast.Module, conditions: Sequence[ast.expr], tell: int) -> None:
    if os.path.isdir(TREE):
        os.chdir(TREE)
    watch = Watch()
    scope: dict[str, Any] = {"os": os, "sys": sys, "platform": platform}  # pytest gives these to a condition in text
    for node in preamble(module, conditions):
        watch.holds(ast.Module([node], []), "exec", scope)
    for condition in conditions:
        held = watch.holds(ast.Expression(condition), "eval", scope)
        os.write(tell, b"1" if held else b"0")


def preamble(module: ast.Module, conditions: Sequence[ast.expr]) -> list[ast.stmt]:
    """The imports of the file, and the assignments that the conditions depend on, in their order."""
    needed = names_in(*conditions)
    assigned = [(name, node) for node in module.body if isinstance(node, ast.Assign) and (name := name_bound(node))]
    for name, node in reversed(assigned):
        if name in needed:
            needed |= names_in(node.value)
    kept = [node for name, node in assigned if name in needed]
    return [node for node in module.body if isinstance(node, (ast.Import, ast.ImportFrom)) or node in kept]


def name_bound(node: ast.Assign) -> str:
    """The first name that an assignment binds; "" if it begins with something else."""
    target = node.targets[0]
    return target.id if isinstance(target, ast.Name) else ""


def names_in(*nodes: ast.AST) -> set[str]:
    return {inner.id for node in nodes for inner in ast.walk(node) if isinstance(inner, ast.Name)}


class Watch:
    """Notes when something is looked for that a tree could provide: a module that neither library nor image has, a file
    below the tree's place. The result then depends on the project."""

    def __init__(self) -> None:
        self.asked = False
        sys.meta_path.append(self)
        sys.addaudithook(self.audit)
        for name in ("stat", "lstat", "access"):
            setattr(os, name, self.noting(getattr(os, name)))

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        self.asked = True

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("open", "os.listdir", "os.scandir"):
            self.note(arguments[0])
        elif event in ("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.fork"):
            self.asked = True

    def noting(self, function: Callable[..., object]) -> Callable[..., object]:
        def noted(path: Any, *arguments: object, **options: object) -> object:
            self.note(path)
            return function(path, *arguments, **options)

        return noted

    def note(self, path: Any) -> None:
        if isinstance(path, int):
            return
        path = os.path.normpath(os.fsdecode(path or "."))
        if not path.startswith("/") or f"{path}/".startswith(f"{TREE}/"):
            self.asked = True

    def holds(self, tree: ast.Module | ast.Expression, mode: str, scope: dict[str, Any]) -> bool:
        """Whether the value is true. False if it fails or depends on the project; such an assignment binds nothing."""
        self.asked = False
        before = dict(scope)
        try:
            code = compile(ast.fix_missing_locations(tree), "<condition>", mode, dont_inherit=True)
            held = bool(eval(code, scope))
        except Exception:
            held = False
        if self.asked:
            scope.clear()
            scope.update(before)
        return held and not self.asked

"""Reads what staged files say of themselves, and what their project says it needs. Nothing of a tree is run for it."""

from __future__ import annotations

import ast
import re
import warnings

from check.counter.assertions.catching import catchers_in
from check.counter.assertions.sites import sites_of
from check.project import options
from check.project.installed_plugins import run_coroutines
from check.staged.declared import declared_in
from check.staged.helpers import asserting, asserts_within, bodies_of, helpers_of, uses
from check.staged.module_tests import Module
from check.staged.skips import left_out
from check.staged.surely import who_surely_asserts
from check.staged.syntax import UNREADABLE, decorator_name
from check.tree.imports import parse
from check.tree.trees import Repository, base_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from check.staged.module_tests import Test
    from check.staged.syntax import Function
    from check.tree.trees import Tree
    from check.wire.shapes import AssertionSite, StagedFacts, StagedInput, StagedPayload, StagedReport

KEEP_GREEN = re.compile(r"(?<!\w)keep-green:[ \t]*(\S.*)")
CRITERION = re.compile(r"(?<![a-z0-9])(?:ac|criterion)[\s_-]*0*(\d{1,4})(?!\d)", re.IGNORECASE)
REASON_SHOWN = 300


def answer(payload: StagedPayload, given: StagedInput) -> StagedReport:
    tree = Repository(payload["repo"]).tree(payload["tree"]) if payload["tree"] else None
    facts = [facts_of(file["path"], file["source"], tree) for file in given["files"]]
    return {"facts": facts, "declared": declared_in(tree) if tree else []}


def facts_of(path: str, source: str, tree: Tree | None) -> StagedFacts:
    problem = problem_of(source)
    if problem:
        return {"path": path, "problem": problem, "tests": [], "assertions": []}
    module = ast.parse(source)
    out = left_out(path, module)
    tests = [test for test in Module(path, module).functions() if test.sure or test.id in out]
    loaded = helpers_of(tree, path, source) if tree else []
    catchers = catchers_in([helper for _, text in loaded if (helper := parse(text))])
    sites = sites_of(path, source, catchers)
    helpers = [(at, text, sites_of(at, text, catchers)) for at, text in loaded]
    names = asserting([body for _, text, found in [(path, source, sites), *helpers] for body in bodies_of(text, found)])
    surely = who_surely_asserts(module, sites, helpers)
    lines = [int(site["id"].rsplit(":", 2)[1]) for site in sites]
    return {
        "path": path,
        "problem": coroutines_problem(tests, tree),
        "tests": [
            {
                "id": test.id,
                "keep_green": keep_green(test.node) or keep_green(module),
                "always_left_out": test.id in out,
                "left_out_ids": sorted(name for name in out if name.startswith(f"{test.id}[")),
                "asserts": test.node is None or asserts_within(test.node, lines) or bool(uses(test.node) & names),
                "surely_asserts": surely(test.node),
                "criteria": criteria(test.node),
            }
            for test in tests
        ],
        "assertions": [fairly(site, out) for site in [*sites, *(site for *_, found in helpers for site in found)]],
    }


def problem_of(source: str) -> str:
    """The reason why Python cannot compile a file; "" if it can."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "<staged>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    except UNREADABLE as error:
        return str(error) or "it is nested too deeply"
    return ""


def coroutines_problem(tests: Sequence[Test], tree: Tree | None) -> str:
    """Tests that are coroutines need a plugin that runs them, or something of the project that does."""
    awaited = [test for test in tests if isinstance(test.node, ast.AsyncFunctionDef) and bare(test, test.node)]
    if not awaited or tree is None or run_coroutines():
        return ""
    conftests = [tree.text(path) or "" for path in tree.entries if base_name(path) == "conftest.py"]
    if any("pytest_pyfunc_call" in text or "pytest_plugins" in text for text in conftests):
        return ""
    return (
        f"{awaited[0].id.rpartition('::')[2]} is an async def, and no plugin in the {options.INSTALLED_IN} runs those"
    )


def bare(test: Test, node: Function) -> bool:
    """Whether nothing around the test could run it: no decorator but marks, no class of unittest or from elsewhere."""
    marks = all("mark" in ast.unparse(decorator).split(".") for decorator in node.decorator_list)
    bases = {decorator_name(base) for around in test.classes for base in around.bases}
    known = {around.name for around in test.classes}
    return marks and bases <= {"object", *known}


def keep_green(node: Function | ast.Module | None) -> str | None:
    found = KEEP_GREEN.search(docstring(node))
    return found[1].strip()[:REASON_SHOWN] if found else None


def criteria(node: Function | None) -> list[int]:
    text = f"{getattr(node, 'name', '')}\n{docstring(node)}"
    return sorted({int(number) for number in CRITERION.findall(text)})


def docstring(node: Function | ast.Module | None) -> str:
    return (ast.get_docstring(node) or "") if node is not None else ""


def fairly(site: AssertionSite, out: Collection[str]) -> AssertionSite:
    skipped = site["unfair"] is None and site["test"] in out
    return {**site, "unfair": "under a mark that leaves it out"} if skipped else site

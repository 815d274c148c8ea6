"""Reads which rules a project configures for ruff, and helps to tell which findings a file had before the session."""

from __future__ import annotations

import glob
import importlib.metadata
import os
import re
import subprocess
import tomllib

from check.judge.ruff_files import RUFF_SOURCES, ruff_bases
from check.tree.trees import ENV, GIT, Repository, base_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO

    from check.tree.tables import Table
    from check.tree.trees import Tree
    from check.wire.shapes import ChangedFile, OlderPayload, OlderReport, RuffProgram, RuffRulesPayload, RuffRulesReport

ENVIRONMENT = "/opt/tilth/env/"
TOOLS = "/opt/tilth/venv/"
HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
FILE = "100"


def rules(payload: RuffRulesPayload, _: object) -> RuffRulesReport:
    """Tells what the configuration of a tree selects and ignores, all its files together, and the project's own ruff."""
    tables = tables_in(Repository(payload["repo"]).tree(payload["base"]))
    return {
        "configured": bool(tables),
        "selects": any("select" in table for table in tables),
        "more": words_of(tables, "extend-select"),
        "ignored": words_of(tables, "ignore", "extend-ignore"),
        "ruff": own_ruff() or image_ruff(),
    }


def tables_in(tree: Tree) -> list[Table]:
    """The ruff tables of a tree with their `lint` tables: older configurations have the settings of `lint` beside
    it."""
    found: list[Table] = []
    for path in sorted({path for path in tree.entries if base_name(path) in RUFF_SOURCES} | ruff_bases(tree)):
        table = table_of(base_name(path), tree.text(path) if path in tree else None)
        if table is not None:
            lint = table.get("lint")
            found += [table, lint if isinstance(lint, dict) else {}]
    return found


def table_of(name: str, text: str | None) -> Table | None:
    """None for a file that configures something else; {} for one that only ruff itself can judge."""
    shared = name == "pyproject.toml"
    try:
        document = parsed(text or "")
    except (tomllib.TOMLDecodeError, RecursionError):
        return None if shared else {}
    tool = document.get("tool")
    table = (tool.get("ruff") if isinstance(tool, dict) else None) if shared else document
    return table if isinstance(table, dict) or table is None else {}


def parsed(text: str) -> Table:
    return tomllib.loads(text)


def words_of(tables: Sequence[Table], *keys: str) -> list[str]:
    lists = [found for table in tables for key in keys if isinstance(found := table.get(key), list)]
    return sorted({word for words in lists for word in words if isinstance(word, str) and word.isalnum()})


def own_ruff() -> RuffProgram | None:
    """The environment's ruff, if the distribution of that name lists the program as its own."""
    try:
        found = importlib.metadata.distribution("ruff")
    except importlib.metadata.PackageNotFoundError:
        return None
    for file in found.files or []:
        path = os.path.normpath(str(found.locate_file(file)))
        if path == f"{ENVIRONMENT}bin/ruff" and os.access(path, os.X_OK):
            return {"program": path, "version": str(found.version), "own": True}
    return None


def image_ruff() -> RuffProgram:
    [found] = importlib.metadata.distributions(name="ruff", path=glob.glob(f"{TOOLS}lib/python3*/site-packages"))
    return {"program": f"{TOOLS}bin/ruff", "version": str(found.version), "own": False}


def older(payload: OlderPayload, paths: Sequence[str]) -> OlderReport:
    """Puts files back as the base has them, and says which of their lines differ now."""
    repository = Repository(payload["repo"])
    base, tree = repository.tree(payload["base"]).entries, repository.tree(payload["tree"]).entries
    same: list[str] = []
    changed: list[ChangedFile] = []
    for path in paths:
        (mode, before), (kind, now) = base.get(path, ("", "")), tree.get(path, ("", ""))
        if before == now:
            same.append(path)
        elif mode.startswith(FILE) and kind.startswith(FILE):
            put_back(payload, path, before)
            changed.append({"path": path, "hunks": hunks(payload["repo"], before, now)})
    return {"same": same, "changed": changed}


def put_back(payload: OlderPayload, path: str, blob: str) -> None:
    fd = os.open(os.path.join(payload["root"], path), os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(fd, "wb") as file:
        git(payload["repo"], "cat-file", "blob", blob, stdout=file)


def hunks(repo: str, before: str, now: str) -> list[list[int]]:
    """Each change as first line and number of lines, in the one and in the other."""
    told = git(repo, "diff", "--text", "--no-ext-diff", "--no-textconv", "--no-color", "-U0", before, now).stdout
    return [[int(number or 1) for number in found.groups()] for found in HUNK.finditer(told)]


def git(repo: str, *words: str, stdout: BinaryIO | int = subprocess.PIPE) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([GIT, f"--git-dir={repo}", *words], env=ENV, stdout=stdout, check=True)

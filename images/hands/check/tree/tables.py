"""The tables of shared configuration files that judge: what pytest, ruff and the loading of plugins take from them."""

from __future__ import annotations

import shlex
import tomllib
from typing import final

import iniconfig

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date, datetime, time

    Value = str | float | date | time | datetime | list["Value"] | Mapping[str, "Value"]
    Table = Mapping[str, Value]


@final
class NotParsed:
    """Stands for the tables of a file that does not parse."""


UNREADABLE = NotParsed
TOML_TABLES = (
    ("tool", "pytest"),
    ("tool", "ruff"),
    ("project", "entry-points", "pytest11"),
    ("tool", "poetry", "plugins", "pytest11"),
    ("tool", "flit", "entrypoints", "pytest11"),
)
PLUGIN_TABLES = {
    *["project.entry-points.pytest11", "tool.poetry.plugins.pytest11", "tool.flit.entrypoints.pytest11"],
    *["pytest11", "options.entry_points"],
}
INI_TABLES = {
    "tox.ini": ("pytest",),
    "setup.cfg": ("tool:pytest", "pytest", "options.entry_points"),
    "entry_points.txt": ("pytest11",),
}
SHARED = {"pyproject.toml", *INI_TABLES}


def tables_of(name: str, text: str | None) -> Table | type[NotParsed]:
    """Tables by dotted header; UNREADABLE for a file that does not parse, which a tool may take for no configuration at
    all."""
    if text is None:
        return UNREADABLE
    try:
        return toml_tables(text) if name == "pyproject.toml" else ini_tables(name, text)
    except (tomllib.TOMLDecodeError, iniconfig.ParseError, ValueError, RecursionError):
        return UNREADABLE


def toml_tables(text: str) -> Table:
    document: Table = tomllib.loads(text)
    found: dict[str, Value] = {}
    for keys in TOML_TABLES:
        value: Value | None = document
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            found[".".join(keys)] = value
    return found


def ini_tables(name: str, text: str) -> Table:
    document = iniconfig.IniConfig(name, data=text)
    found = {header: dict(document[header].items()) for header in INI_TABLES[name] if header in document}
    if "options.entry_points" in found:
        plugins = found.pop("options.entry_points").get("pytest11")
        if plugins is not None:
            found["options.entry_points"] = {"pytest11": plugins}
    return found


def without(table: Value, keys: Sequence[str]) -> Value:
    """A table without one of its inner tables."""
    if not isinstance(table, dict) or not keys or keys[0] not in table:
        return table
    rest = {key: value for key, value in table.items() if key != keys[0]}
    inner = without(table[keys[0]], keys[1:]) if len(keys) > 1 else None
    return {**rest, keys[0]: inner} if inner else rest


def settings_of_pytest(name: str, text: str | None) -> Table:
    """The keys pytest reads from a file, whichever of its kinds it is; {} for none."""
    try:
        if name.endswith(".toml"):
            document = tomllib.loads(text or "")
            tool = (
                document.get("tool", {}).get("pytest", {}) if name == "pyproject.toml" else document.get("pytest", {})
            )
            return {**tool, **tool.get("ini_options", {})}
        document = iniconfig.IniConfig(name, data=text or "")
        header = "tool:pytest" if name == "setup.cfg" else "pytest"
        return dict(document[header].items()) if header in document else {}
    except (tomllib.TOMLDecodeError, iniconfig.ParseError, ValueError, AttributeError, TypeError, RecursionError):
        return {}


def words(value: Value) -> list[str]:
    try:
        if isinstance(value, str):
            return shlex.split(value)
        return [str(word) for word in value] if isinstance(value, (list, dict)) else []
    except ValueError:
        return []


def ruff_extends(name: str, text: str | None) -> str | None:
    """The file that a ruff configuration builds on, as it writes it."""
    try:
        document = tomllib.loads(text or "")
        table = document.get("tool", {}).get("ruff", {}) if name == "pyproject.toml" else document
        found = table.get("extend")
        return found if isinstance(found, str) else None
    except (tomllib.TOMLDecodeError, AttributeError, RecursionError):
        return None

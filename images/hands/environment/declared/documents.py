"""Looks into documents that were parsed, in which anything may stand anywhere."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeGuard


def is_table(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def table_at(document: object, *keys: str) -> dict[str, Any]:
    """The table below these keys; an empty one where there is none."""
    for key in keys:
        document = document.get(key, {}) if is_table(document) else {}
    return document if is_table(document) else {}


def list_in(value: object) -> list[Any]:
    return value if is_list(value) else []


def strings_in(value: object) -> list[str]:
    return [one for one in list_in(value) if isinstance(one, str)]

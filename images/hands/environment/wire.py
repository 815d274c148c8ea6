"""Types of the order that a build reads, and of what it prints.

Written from `runner/hands/pipe/wire/` by `npm run wire`; do not edit. It is read by type checkers alone: when the
programs run, nothing imports it."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

BuildOrder = TypedDict("BuildOrder", {
    "files": dict[str, str], "named": list[str] | None, "from_source": list[str], "version": str | None,
    "index_url": str, "extra_index_urls": list[str], "lock": str | None, "prefer": str | None, "wheels": dict[str, str],
})
BuildStart = TypedDict("BuildStart", {
    "ok": Literal[True], "taken": NotRequired[list[str]], "said": NotRequired[list[str]], "python": NotRequired[str],
})
SaidLine = TypedDict("SaidLine", {"say": str})
NamedVersion = TypedDict("NamedVersion", {"name": str, "version": str})
BuildAnswer = TypedDict("BuildAnswer", {
    "ok": Literal[True], "taken": NotRequired[list[str]], "said": NotRequired[list[str]], "python": NotRequired[str],
    "none": NotRequired[bool], "lock": str, "wheels": NotRequired[dict[str, str]],
    "names": NotRequired[list[list[str]]], "packages": NotRequired[int], "digest": NotRequired[str | None],
    "pytest": NotRequired[str], "project": NotRequired[NamedVersion | None],
})
ProblemKind = Literal["refused", "unresolved", "failed"]
BuildRefusal = TypedDict("BuildRefusal", {"ok": Literal[False], "kind": ProblemKind, "problem": str, "remedy": str})
ResultLine = TypedDict("ResultLine", {"result": BuildAnswer | BuildRefusal})
Verified = TypedDict("Verified", {"digest": str | None, "differs": list[str]})

"""A rule of the scanner. `match` says which facts it is about, by kind of fact: names as they resolve, `x.*` for all
below x. `where`: only in code that tests judge ("code"), only where importing runs it ("import"), not where a program
starts ("no_entry"), not on the project's own classes ("foreign"). `given`: a pattern that the arguments must match.
`alike`: names that give a file no more than another of them did; the group stands for all. `named_by`: words by which a
task's own text makes the construct its business; `<name>` is the dotted name that was met, `<leaf>` its last part,
`<top>` its first; `<any>` is any of the rule's names, because they are used together."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, TypedDict, Unpack

    from check.wire.shapes import FindingKind

    Where = Literal["code", "import", "no_entry", "foreign"]
    FactOfName = Literal["use", "call", "bare", "import", "store", "store_attribute", "attribute", "slot", "unknown"]
    FactOfText = Literal["text", "environ", "answer", "agreeable", "hidden", "computed", "comment"]
    FactKind = FactOfName | FactOfText
    Match = Mapping[FactKind, tuple[str, ...]]

    class Details(TypedDict, total=False):
        named_by: tuple[str, ...]
        where: tuple[Where, ...]
        given: str
        alike: str


class Rule(NamedTuple):
    name: str
    kind: FindingKind
    match: Match
    why: str
    named_by: tuple[str, ...] = ("<name>",)
    where: tuple[Where, ...] = ()
    given: str = ""
    alike: str = ""


def forges(name: str, match: Match, why: str, **details: Unpack[Details]) -> Rule:
    return Rule(name, "forges", match, why, **details)


def smells(name: str, match: Match, why: str, **details: Unpack[Details]) -> Rule:
    return Rule(name, "smells", match, why, **details)

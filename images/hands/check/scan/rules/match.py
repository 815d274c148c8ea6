"""Finds the rules for a name, by the kind of fact it comes from."""

from __future__ import annotations

import functools
import re

from check.project.library import is_known_to_lack, is_library, top_of
from check.scan.rules.library import MEANT_TO_BE_SET
from check.scan.rules.rules import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from check.scan.rules.rule import FactKind, Rule


def by_pattern(rules: Iterable[Rule]) -> dict[tuple[FactKind, str], list[Rule]]:
    index: dict[tuple[FactKind, str], list[Rule]] = {}
    for rule in rules:
        for on, patterns in rule.match.items():
            for pattern in patterns:
                index.setdefault((on, pattern), []).append(rule)
    return index


INDEX = by_pattern(RULES)
# Setting these changes no result; the last three only say how a foreign function is called.
DESCRIBED = (".__doc__", ".argtypes", ".restype", ".errcheck")
# Compiled once, because it would take time in each check.
GIVEN = {rule.name: re.compile(rule.given) for rule in RULES if rule.given}
ALIKE = {rule.name: re.compile(rule.alike) for rule in RULES if rule.alike}


@functools.lru_cache(maxsize=20_000)
def rules_for(on: FactKind, name: str) -> tuple[Rule, ...]:
    found = list(rules_of_store(name)) if on == "store" else []
    for key in keys_of(name):
        found += INDEX.get((on, key), ())
    return tuple(found)


def is_given(rule: Rule, text: str) -> bool:
    return rule.name not in GIVEN or GIVEN[rule.name].search(text) is not None


def keys_of(name: str) -> Iterator[str]:
    yield name
    yield "*"
    end = name.find(".")
    while end > 0:
        yield f"{name[:end]}.*"
        end = name.find(".", end + 1)
    if "_" in name:
        yield f"{name.partition('_')[0]}_*"


def rules_of_store(name: str) -> list[Rule]:
    if name.endswith(DESCRIBED):
        return []
    if not (is_library(name) or is_module_of_tests(name)) or not MEANT_TO_BE_SET.isdisjoint(keys_of(name)):
        return []
    return INDEX[("store", "<added>" if is_known_to_lack(name) else "<library>")]


def is_module_of_tests(name: str) -> bool:
    top = top_of(name)
    return top in ("tests", "conftest") or top.startswith("test_")

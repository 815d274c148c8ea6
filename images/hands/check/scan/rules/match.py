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
    from check.tree.trees import Tree


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


class NameRules:
    """The rules for the names in a tree, each with the spelling by which it knows the name."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.known: dict[tuple[FactKind, str], list[tuple[Rule, str]]] = {}

    def of(self, on: FactKind, name: str) -> list[tuple[Rule, str]]:
        found = self.known.get((on, name))
        if found is None:
            found = [(rule, one) for one in self.spellings(on, name) for rule in rules_for(on, one)]
            if on == "text":
                found = [(rule, one) for rule, one in found if is_given(rule, one)]
            self.known[on, name] = found
        return found

    def spellings(self, on: FactKind, name: str) -> Iterator[str]:
        """The names by which a rule may know it: as written, as one in tests/, and as `os._exit` if it is reached as
        `app.os._exit`."""
        yield name
        if on in ("import", "use") and self.stands_beside_tests(name.partition(".")[0]):
            yield f"tests.{name}"
        if "." in name and on in ("use", "call"):
            parts = name.split(".")
            for place in range(1, len(parts)):
                if is_library(parts[place]) and (is_library(parts[0]) or self.is_by_the_way(parts, place)):
                    yield ".".join(parts[place:])

    def stands_beside_tests(self, top: str) -> bool:
        """Whether a module stands in tests/ and nowhere else in the project, so that tests import it by its bare
        name."""
        places = [f"{top}.py", f"{top}/__init__.py"]
        elsewhere = is_library(top) or any(f"{root}{place}" in self.tree for root in ("", "src/") for place in places)
        return not elsewhere and any(f"tests/{place}" in self.tree for place in places)

    def is_by_the_way(self, parts: list[str], place: int) -> bool:
        """Whether a part is the library's module, as in `app.os._exit` where the project has no module named `os`."""
        return place + 1 < len(parts) and parts[place] not in self.tree.modules()


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

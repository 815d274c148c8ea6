"""Finds what a change adds that could forge a verdict, or smells of it: in syntax trees, and in no comment but a
blanket noqa. A finding counts only if the last accepted tree does not have the same one, wherever in the change it
stood."""

from __future__ import annotations

from collections import Counter

from check.scan.file import File
from check.scan.loading import Loading, drawn_in, with_users_aside
from check.tree.places import is_aside, is_of_tests, is_test_module, named_as_plugins
from check.tree.trees import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from check.scan.file import Finding, Likeness
    from check.scan.rules.rule import Rule
    from check.tree.text import Text
    from check.tree.trees import Tree
    from check.wire.shapes import JudgedTest, ScanFinding

    Placed = tuple[str, Finding]


MOST_FINDINGS = 300


def findings(
    last: Tree,
    tree: Tree,
    differing: Iterable[str],
    staged: Sequence[JudgedTest],
    text: Text,
    plugins: Iterable[str] = (),
) -> list[ScanFinding]:
    """The findings as the answer of a judgement has them. `plugins`: modules that the settings ask pytest to load."""
    staged_paths = {test["path"] for test in staged}
    paths = [path for path in differing if path.endswith(".py") and path not in staged_paths]
    paths += sorted(drawn_in(tree, paths) - staged_paths)
    sources = [test["source"] for test in staged]
    after = Side(tree, paths, sources, text, plugins).findings()
    if not after:
        return []
    before = Side(last, paths, sources, text, plugins).findings()
    return worst_first([told(*one, text) for one in added(before, after)])


def added(before: Sequence[Placed], after: Sequence[Placed]) -> Iterator[tuple[str, Finding, bool]]:
    """New findings, each with whether the file did the like before or was given it from another file: code that can
    already do something gains nothing by writing it once more."""
    left = Counter(finding.key for _, finding in before)
    known = {(path, finding.kin) for path, finding in before}
    new: list[Placed] = []
    for path, finding in after:
        left[finding.key] -= 1
        if left[finding.key] < 0:
            new.append((path, finding))
    gone: Counter[Likeness | None] = Counter()
    for _, finding in before:
        if left[finding.key] > 0:
            left[finding.key] -= 1
            gone[finding.kin] += 1
    for path, finding in new:
        gone[finding.kin] -= 1
        familiar = finding.kin is not None and ((path, finding.kin) in known or gone[finding.kin] >= 0)
        yield path, finding, familiar


def told(path: str, finding: Finding, familiar: bool, text: Text) -> ScanFinding:
    rule = finding.rule
    before = " (the code did so before)" if familiar else ""
    return {
        "path": shown(path),
        "line": finding.line,
        "rule": rule.name,
        "kind": "smells" if familiar else rule.kind,
        "why": f"{finding.met} {rule.why}{before}".strip(),
        "excused": is_named(rule, finding.met, text),
    }


def is_named(rule: Rule, met: str, text: Text) -> bool:
    """Whether the task's text names the construct. A bare name may be any word of a sentence, and counts only if the
    text goes on below it."""
    bare = "<name>" in rule.named_by and "." not in met and met != ""
    return (bare and text.has_below(met)) or any(text.means(word) for word in words_for(rule, met))


def words_for(rule: Rule, met: str) -> Iterator[str]:
    """Words by which a task makes the construct its business."""
    dotted = met if "." in met else ""
    for word in rule.named_by:
        if word == "<any>":
            yield from rule.match.get("use", ())
        word = word.replace("<name>", dotted).replace("<top>", met.partition(".")[0])
        word = word.replace("<leaf>", met.rpartition(".")[2])
        if word:
            yield word


def worst_first(found: Sequence[ScanFinding]) -> list[ScanFinding]:
    unique = {tuple(one[name] for name in ("path", "line", "rule", "kind", "excused")): one for one in reversed(found)}
    ordered = sorted(unique.values(), key=lambda one: (one["excused"], one["kind"], one["path"], one["line"]))
    return ordered[:MOST_FINDINGS]


class Side:
    """The files of a change as they are on one side of it."""

    def __init__(
        self, tree: Tree, paths: Iterable[str], sources: Sequence[str], text: Text, plugins: Iterable[str]
    ) -> None:
        self.tree = tree
        self.paths = [path for path in paths if path in tree]
        self.sources = sources
        self.text = text
        self.plugins = plugins
        self.known: dict[str, set[str]] = {}

    def findings(self) -> list[Placed]:
        return [(path, finding) for path in self.paths for finding in self.of(path)]

    def of(self, path: str) -> list[Finding]:
        """Is more lenient with files of the tests, as long as the code that they judge does not load them."""
        found = File(self.tree, path, self.sources, self.text).findings()
        lenient = self.leniently(path, found) if found else found
        worse = any(finding.rule.kind == "forges" for finding in found if finding not in lenient)
        return found if worse and path in self.loaded(path) else lenient

    def leniently(self, path: str, found: list[Finding]) -> list[Finding]:
        if is_test_module(path) or is_aside(path):
            return []
        if is_of_tests(path) or path in self.named():
            return [finding for finding in found if not finding.only_in_code]
        return found

    def loaded(self, path: str) -> set[str]:
        make = self.loaded_aside if is_aside(path) else self.loaded_by_code
        return self.once(make.__name__, make)

    def loaded_by_code(self) -> set[str]:
        candidates = {path for path in self.paths if is_of_tests(path) or path in self.named()}
        return Loading(self.tree, candidates).loaded(lambda path: not is_of_tests(path))

    def loaded_aside(self) -> set[str]:
        """Loading by tests counts too, by imports or by paths in texts, because such a file could deceive them."""
        candidates = with_users_aside(self.tree, {path for path in self.paths if is_aside(path)})
        return Loading(self.tree, candidates, by_text=True).loaded(lambda path: not is_aside(path))

    def named(self) -> set[str]:
        return self.once("named", lambda: named_as_plugins(self.tree, self.plugins))

    def once(self, name: str, make: Callable[[], set[str]]) -> set[str]:
        if name not in self.known:
            self.known[name] = make()
        return self.known[name]

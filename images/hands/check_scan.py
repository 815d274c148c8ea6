"""What a change adds that could forge a verdict, or smells of it: found in syntax trees, never in comments or docs.
A finding counts only where the last accepted tree does not have the same one, wherever in the change it stood."""

import re
from collections import Counter

from check_imports import imported
from check_scan_file import File
from check_trees import base_name, shown

MOST_FINDINGS = 300
TEST_FILE = re.compile(r"^(test_.*|.*_test)\.py$")
OTHER_TEST_FILES = {"conftest.py", "tests.py"}
TEST_FOLDERS = {"tests", "test", "testing"}


def findings(last, tree, differing, staged, text):
    """As the answer of a judgement has them."""
    staged_paths = {test["path"] for test in staged}
    paths = [path for path in differing if path.endswith(".py") and path not in staged_paths]
    sources = [test["source"] for test in staged]
    after = Side(tree, paths, sources, text).findings()
    if not after:
        return []
    before = Counter(finding.key for _, finding in Side(last, paths, sources, text).findings())
    added = []
    for path, finding in after:
        before[finding.key] -= 1
        if before[finding.key] < 0:
            added.append(told(path, finding, text))
    return worst_first(added)


def told(path, finding, text):
    rule = finding.rule
    return {
        "path": shown(path),
        "line": finding.line,
        "rule": rule.name,
        "kind": rule.kind,
        "why": f"{finding.met} {rule.why}".strip(),
        "excused": any(text.has(word) for word in words_for(rule, finding.met)),
    }


def words_for(rule, met):
    """What a task has to say to make the construct its business."""
    dotted = met if "." in met else ""
    for word in rule.named_by:
        word = word.replace("<name>", dotted).replace("<top>", met.partition(".")[0])
        word = word.replace("<leaf>", met.rpartition(".")[2])
        if word:
            yield word


def worst_first(found):
    unique = {(one["path"], one["line"], one["rule"], one["excused"]): one for one in reversed(found)}
    ordered = sorted(unique.values(), key=lambda one: (one["excused"], one["kind"], one["path"], one["line"]))
    return ordered[:MOST_FINDINGS]


class Side:
    """What stands in the files of a change on one side of it."""

    def __init__(self, tree, paths, sources, text):
        self.tree = tree
        self.paths = [path for path in paths if path in tree]
        self.sources = sources
        self.text = text
        self.loaded = None

    def findings(self):
        return [(path, finding) for path in self.paths for finding in self.of(path)]

    def of(self, path):
        """In what belongs to the tests less is odd, as long as the code that they judge does not load it."""
        found = File(self.tree, path, self.sources, self.text).findings()
        if is_test(path):
            lenient = []
        elif is_of_tests(path):
            lenient = [finding for finding in found if not finding.only_in_code]
        else:
            return found
        worse = any(finding.rule.kind == "forges" for finding in found if finding not in lenient)
        return found if worse and path in self.loaded_by_code() else lenient

    def loaded_by_code(self):
        if self.loaded is None:
            self.loaded = loaded_by_code(self.tree, {path for path in self.paths if is_of_tests(path)})
        return self.loaded


def is_test(path):
    return TEST_FILE.match(base_name(path)) is not None


def is_of_tests(path):
    return is_test(path) or base_name(path) in OTHER_TEST_FILES or not TEST_FOLDERS.isdisjoint(path.split("/")[:-1])


def loaded_by_code(tree, candidates):
    """Files of tests that other code than tests imports."""
    by_name = {}
    for path in candidates:
        by_name.setdefault(module_of(path)[-1], set()).add(path)
    todo = [path for path in tree.mentioning(sorted(by_name)) if not is_of_tests(path)]
    found = set()
    while todo:
        path = todo.pop()
        for _, name in imported(tree.text(path), path):
            for place in range(len(name)):
                for one in by_name.get(name[place], set()) - found:
                    if module_of(one)[-place - 1 :] == list(name[: place + 1]):
                        found.add(one)
                        todo.append(one)
    return found


def module_of(path):
    return path.removesuffix(".py").removesuffix("/__init__").split("/")

"""Checks the facts of one file against the rules."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from check.scan.facts.answers import stands_in
from check.scan.facts.facts import Facts, spelled_name
from check.scan.facts.nodes import all_facts
from check.scan.facts.spelled import spelled
from check.scan.names.closed import is_closed
from check.scan.names.texts import Tangled
from check.scan.rules.code import UNREADABLE
from check.scan.rules.match import ALIKE, GIVEN, INDEX, NameRules, is_given
from check.scan.source import TOO_DEEP, Unreadable, blanket_comments, link_problem, parsed
from check.tree.trees import base_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from check.scan.facts.facts import Fact
    from check.scan.names.scope import Scope
    from check.scan.rules.rule import Rule
    from check.tree.text import Text
    from check.tree.trees import Tree

    Likeness = tuple[str | bool, ...]

ENTRY = re.compile(r"^_?(main|cli|run|entry|entry_?point|parse_arg\w*|get_arg\w*|build_parser|usage)$")
ENTRY_FILES = {"__main__.py", "cli.py", "main.py", "manage.py", "setup.py", "noxfile.py"}
LONGEST_MET = 60
LONGEST_WHY = 200
QUOTED = {"answer", "text"}
REPEATED = {"use", "call", "bare", "store", "attribute"}
RUNS_DATA = {"runs_text", "unpickles"}


class Finding(NamedTuple):
    rule: Rule
    line: int
    met: str
    # two findings with the same key are the same one
    key: Likeness
    only_in_code: bool
    # a finding of the same kin is this one written anew; None if only the same key counts
    kin: Likeness | None = None


class File:
    def __init__(self, tree: Tree, path: str, sources: Sequence[str], text: Text) -> None:
        self.tree = tree
        self.path = path
        self.sources = sources
        self.text = text

    def findings(self) -> list[Finding]:
        if not self.tree.is_file(self.path):
            problem = link_problem(self.tree, self.path)
            return [unreadable(problem)] if problem else []
        try:
            module, content = parsed(self.tree, self.path)
            found = list(self.of_module(module)) if module else []
        except Unreadable as error:
            return [unreadable(str(error))]
        except (Tangled, *TOO_DEEP):
            return [unreadable("is too tangled to be followed")]
        except Exception as error:  # a file that cannot be read must neither pass nor end the session
            return [unreadable(f"cannot be followed ({type(error).__name__}: {error})"[:LONGEST_WHY])]
        found += [of_comment(line, text) for line, text in blanket_comments(content)]
        return list({(finding.key, finding.line): finding for finding in found}.values())

    def of_module(self, module: ast.Module) -> Iterator[Finding]:
        rules = NameRules(self.tree)
        facts = Facts(module, rules.of)
        findings = ModuleFindings(self, facts)
        for fact in all_facts(facts):
            for rule, name in rules.of(fact.on, fact.name):
                if findings.applies(rule, fact):
                    yield findings.finding(rule, fact, name)


class ModuleFindings:
    """Decides which rules a fact meets in its file, and writes the findings."""

    def __init__(self, file: File, facts: Facts) -> None:
        self.file = file
        self.facts = facts

    def applies(self, rule: Rule, fact: Fact) -> bool:
        where = rule.where
        if ("import" in where and not fact.scope.at_import) or ("foreign" in where and fact.how == "own"):
            return False
        if "no_entry" in where and self.is_entry(fact.scope):
            return False
        if fact.on == "answer":
            return self.is_lifted(fact.node)
        return rule.name not in GIVEN or is_given(rule, spelled(fact, self.facts))

    def is_entry(self, scope: Scope) -> bool:
        at_start = scope.by_hand or base_name(self.file.path) in ENTRY_FILES
        return at_start or any(ENTRY.match(name) for name in scope.functions())

    def is_lifted(self, node: ast.AST) -> bool:
        given = str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)
        return given not in self.file.text.text and stands_in(node, self.file.sources)

    def finding(self, rule: Rule, fact: Fact, name: str) -> Finding:
        met = "" if fact.on == "hidden" else name
        if fact.on in QUOTED:
            met = (repr(name) if fact.on == "text" else ast.unparse(fact.node))[:LONGEST_MET]
        key = (rule.name, self.code_of(fact), is_at_import(fact))
        only_in_code = "code" in rule.where or fact.how == "mock"
        return Finding(rule, fact.node.lineno, met, key, only_in_code, self.kin_of(rule, fact, name))

    def kin_of(self, rule: Rule, fact: Fact, name: str) -> Likeness | None:
        """None if the rule is about arguments, or if the data it runs is written out in the file: other arguments are
        then another deed."""
        written_anew = fact.on in REPEATED and rule.name not in GIVEN
        call = fact.node if isinstance(fact.node, ast.Call) else self.facts.walk.callers.get(id(fact.node))
        if not written_anew or (rule.name in RUNS_DATA and (call is None or self.is_written_out(call, fact.scope))):
            return None
        alike = ALIKE[rule.name].search(name) if rule.name in ALIKE else None
        return (rule.name, alike[1]) if alike else (rule.name, name, is_at_import(fact))

    def is_written_out(self, call: ast.Call, scope: Scope) -> bool:
        """Whether the data of a call, or of the `compile` around it, can be read in the file."""
        given = [*call.args, *(one.value for one in call.keywords)]
        first = given[0] if given else None
        if isinstance(first, ast.Call) and spelled_name(first.func) == "compile":
            return self.is_written_out(first, scope)
        return first is not None and is_closed(first, scope, self.facts.names.spelling.spend)

    def code_of(self, fact: Fact) -> str:
        if isinstance(fact.node, (ast.Import, ast.ImportFrom)):
            return fact.name
        walk = self.facts.walk
        return ast.dump(walk.callers.get(id(fact.node)) or walk.assigned.get(id(fact.node)) or fact.node)


def is_at_import(fact: Fact) -> bool:
    """Whether importing the file runs it; an import itself may stand anywhere."""
    return fact.scope.at_import and not isinstance(fact.node, (ast.Import, ast.ImportFrom))


def unreadable(why: str) -> Finding:
    rule = UNREADABLE._replace(why=why)
    return Finding(rule, 1, "", (rule.name, why), False)


def of_comment(line: int, text: str) -> Finding:
    (rule,) = INDEX[("comment", "noqa")]
    return Finding(rule, line, "", (rule.name, text), False)

"""Checks the facts of one file against the rules."""

import ast
import re
from typing import NamedTuple

from check.project.library import is_library
from check.scan.answers import stands_in
from check.scan.closed import is_closed
from check.scan.facts import Facts, spelled_name
from check.scan.rules.code import UNREADABLE
from check.scan.rules.match import ALIKE, GIVEN, INDEX, is_given, rules_for
from check.scan.rules.rule import Rule
from check.scan.source import TOO_DEEP, Unreadable, blanket_comments, link_problem, parsed
from check.scan.spelled import spelled
from check.scan.texts import Tangled
from check.tree.trees import base_name

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
    key: tuple
    only_in_code: bool
    # a finding of the same kin is this one written anew; None if only the same key counts
    kin: tuple | None = None


class File:
    def __init__(self, tree, path, sources, text):
        self.tree = tree
        self.path = path
        self.sources = sources
        self.text = text
        self.facts = None
        self.known = {}

    def findings(self):
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

    def of_module(self, module):
        self.facts = Facts(module, self.rules)
        for fact in self.facts.all():
            for rule, name in self.rules(fact.on, fact.name):
                if self.applies(rule, fact):
                    yield self.finding(rule, fact, name)

    def rules(self, on, name):
        found = self.known.get((on, name))
        if found is None:
            found = [(rule, one) for one in self.spellings(on, name) for rule in rules_for(on, one)]
            if on == "text":
                found = [(rule, one) for rule, one in found if is_given(rule, one)]
            self.known[on, name] = found
        return found

    def spellings(self, on, name):
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

    def stands_beside_tests(self, top):
        """Whether a module stands in tests/ and nowhere else in the project, so that tests import it by its bare
        name."""
        places = [f"{top}.py", f"{top}/__init__.py"]
        elsewhere = is_library(top) or any(f"{root}{place}" in self.tree for root in ("", "src/") for place in places)
        return not elsewhere and any(f"tests/{place}" in self.tree for place in places)

    def is_by_the_way(self, parts, place):
        """Whether a part is the library's module, as in `app.os._exit` where the project has no module named `os`."""
        return place + 1 < len(parts) and parts[place] not in self.tree.modules()

    def applies(self, rule, fact):
        where = rule.where
        if ("import" in where and not fact.scope.at_import) or ("foreign" in where and fact.how == "own"):
            return False
        if "no_entry" in where and self.is_entry(fact.scope):
            return False
        if fact.on == "answer":
            return self.is_lifted(fact.node)
        return rule.name not in GIVEN or is_given(rule, spelled(fact, self.facts))

    def is_entry(self, scope):
        at_start = scope.by_hand or base_name(self.path) in ENTRY_FILES
        return at_start or any(ENTRY.match(name) for name in scope.functions())

    def is_lifted(self, node):
        given = str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)
        return given not in self.text.text and stands_in(node, self.sources)

    def finding(self, rule, fact, name):
        met = "" if fact.on == "hidden" else name
        if fact.on in QUOTED:
            met = (repr(name) if fact.on == "text" else ast.unparse(fact.node))[:LONGEST_MET]
        key = (rule.name, self.code_of(fact), is_at_import(fact))
        only_in_code = "code" in rule.where or fact.how == "mock"
        return Finding(rule, fact.node.lineno, met, key, only_in_code, self.kin_of(rule, fact, name))

    def kin_of(self, rule, fact, name):
        """None if the rule is about arguments, or if the data it runs is written out in the file: other arguments are
        then another deed."""
        written_anew = fact.on in REPEATED and rule.name not in GIVEN
        call = fact.node if isinstance(fact.node, ast.Call) else self.facts.walk.callers.get(id(fact.node))
        if not written_anew or (rule.name in RUNS_DATA and (call is None or self.is_written_out(call, fact.scope))):
            return None
        alike = ALIKE[rule.name].search(name) if rule.name in ALIKE else None
        return (rule.name, alike[1]) if alike else (rule.name, name, is_at_import(fact))

    def is_written_out(self, call, scope):
        """Whether the data of a call, or of the `compile` around it, can be read in the file."""
        given = [*call.args, *(one.value for one in call.keywords)]
        first = given[0] if given else None
        if isinstance(first, ast.Call) and spelled_name(first.func) == "compile":
            return self.is_written_out(first, scope)
        return first is not None and is_closed(first, scope, self.facts.names.spelling.spend)

    def code_of(self, fact):
        if isinstance(fact.node, (ast.Import, ast.ImportFrom)):
            return fact.name
        walk = self.facts.walk
        return ast.dump(walk.callers.get(id(fact.node)) or walk.assigned.get(id(fact.node)) or fact.node)


def is_at_import(fact):
    """Whether importing the file runs it; an import itself may stand anywhere."""
    return fact.scope.at_import and not isinstance(fact.node, (ast.Import, ast.ImportFrom))


def unreadable(why):
    rule = UNREADABLE._replace(why=why)
    return Finding(rule, 1, "", (rule.name, why), False)


def of_comment(line, text):
    (rule,) = INDEX[("comment", "noqa")]
    return Finding(rule, line, "", (rule.name, text), False)

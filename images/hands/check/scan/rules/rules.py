"""The rules of the scanner, as data: what forges a verdict before what only smells."""

from __future__ import annotations

from check.scan.rules.code import CODE_RULES
from check.scan.rules.library import LIBRARY_RULES
from check.scan.rules.objects import OBJECT_RULES
from check.scan.rules.process import PROCESS_RULES
from check.scan.rules.tests import TEST_RULES

ALL_PARTS = (*PROCESS_RULES, *TEST_RULES, *CODE_RULES, *OBJECT_RULES, *LIBRARY_RULES)
RULES = tuple(sorted(ALL_PARTS, key=lambda rule: rule.kind))

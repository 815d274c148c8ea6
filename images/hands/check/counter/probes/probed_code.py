"""Compiles test code with a probe in each of its assertions."""

from __future__ import annotations

import warnings

from check.counter.assertions import nested
from check.counter.probes import nested_probes
from check.counter.probes.assert_probes import Rewriter, mark_assertions, mark_plain_assertions
from check.counter.probes.probe_kinds import expected, method, plain_call
from check.counter.probes.probes import Probes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

    from pytest import Config

    from check.counter.assertions.sites import File
    from check.counter.probes.probed_run import ProbedRun

compile_code = compile


def compiled(file: File, filename: str, counter: ProbedRun, rewriting: tuple[str, Config, bytes] | None) -> CodeType:
    """`rewriting`: the arguments for pytest's own rewriter; None if it does not rewrite the module."""
    tree, probes = file.tree, Probes(counter)
    mark_calls(file, probes)
    within = nested.within(file)
    mark_assertions(tree, {id(site.node): site for site in file.sites if site.kind == "condition"}, probes)
    if rewriting is not None:
        Rewriter(*rewriting).run(tree)
    mark_plain_assertions(tree)
    nested_probes.mark(file, within, probes)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "'str' object is not callable", SyntaxWarning)
        code = compile_code(tree, filename, "exec", dont_inherit=True)
    return probes.put_into(code)


def mark_calls(file: File, probes: Probes) -> None:
    for site in file.sites:
        if site.kind == "expected":
            first = site.call.args[0]
            site.call.args[0] = probes.called(expected(probes.counter, site), [first], first)
        elif site.kind != "condition":
            make = method if site.kind == "method" else plain_call
            site.call.func = probes.called(make(probes.counter, site), [site.call.func], site.call.func)

"""Resolves requirements to exact versions with hashes, for this Python and platform only."""

from __future__ import annotations

from packaging.version import Version

from environment.distributions import (
    OLDEST_PLUGGY,
    OLDEST_PYTEST,
    PYTEST_VERSION,
    needs_of_pytest,
    normal,
    pytest_range,
)
from environment.making.environment_lock import LockedPackage, parsed
from environment.places import PYTHON
from environment.problem import Problem, counted, listed, refused, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from packaging.requirements import Requirement

    from environment.declared.requirements import Requirements
    from environment.making.environment_lock import Packages
    from environment.making.uv import Uv

PYTEST = [f"pytest>={OLDEST_PYTEST},<={PYTEST_VERSION}", f"pluggy>={OLDEST_PLUGGY}"]


class Resolver:
    def __init__(self, uv: Uv, wanted: Requirements, own_name: str | None) -> None:
        self.uv, self.wanted = uv, wanted
        self.own = normal(own_name) if own_name else None
        self.needed = needs_of_pytest()
        self.ours: set[str] = set()

    def resolved(self) -> Packages:
        wanted = self.wanted
        if wanted.empty():
            return {}
        if not wanted.requirements:
            pins = {name: version for name, version in wanted.pins.items() if name != self.own}
            pinned = {name: LockedPackage(version, wanted.hashes[name]) for name, version in pins.items()}
            if judged_by(pinned) and not self.too_old_for_pytest(pinned):
                return pinned
        asked = [str(one.requirement) for one in wanted.requirements]
        asked += [f"{name}=={version}" for name, version in sorted(wanted.pins.items())]
        say(f"resolving {counted(len(asked), 'requirement')} of {listed(wanted.taken)}")
        found = self.with_pytest_in_range(asked)
        if "pytest" not in found and (old := self.too_old_for_pytest(found)):
            found = self.with_newer(asked, old)
        return self.with_given_hashes(found)

    def with_pytest_in_range(self, asked: Sequence[str]) -> Packages:
        try:
            return self.compiled(asked, constraints=PYTEST)
        except Problem as problem:
            if problem.kind == "failed":
                raise
        found = self.compiled(asked)
        if judged_by(found):
            return found
        say(f"pytest {found['pytest'].version} is out of range" if "pytest" in found else "pluggy is out of range")
        standing_in = [f"pytest=={PYTEST_VERSION}", str(self.needed["pluggy"])]
        result = self.compiled(asked, overrides=standing_in)
        if "pytest" in found:
            self.wanted.said.append(
                f"pytest {PYTEST_VERSION} stands in for pytest {found['pytest'].version}, which the project asks for:"
                f" tilth checks with pytest {OLDEST_PYTEST} to {PYTEST_VERSION}."
            )
        self.pytest_is_ours(result)
        return result

    def too_old_for_pytest(self, found: Packages) -> list[str]:
        """Packages that are too old for the image's pytest to run with."""
        if "pytest" in found:
            return []
        return [
            name
            for name, need in self.needed.items()
            if name in found and not need.specifier.contains(found[name].version, prereleases=True)
        ]

    def with_newer(self, asked: Sequence[str], old: Sequence[str]) -> Packages:
        """Resolves again, because the image's pytest cannot run with what was found: with newer versions of what it
        needs, else with another pytest."""
        needs = [without_marker(self.needed[name]) for name in old]
        try:
            return self.compiled(asked, constraints=[*PYTEST, *needs])
        except Problem as problem:
            if problem.kind == "failed":
                raise
        try:
            found = self.compiled([*asked, "pytest"], constraints=PYTEST)
        except Problem as problem:
            if problem.kind == "failed":
                raise
            raise refused(
                f"The project allows no {listed(old)} that a pytest of {OLDEST_PYTEST} to {PYTEST_VERSION} works with.",
                f"Allow what pytest {PYTEST_VERSION} needs: {listed(needs)}.",
            ) from None
        self.wanted.said.append(
            f"pytest {found['pytest'].version} is installed: pytest {PYTEST_VERSION} needs {listed(needs)},"
            " which the project does not allow."
        )
        self.pytest_is_ours(found)
        return found

    def pytest_is_ours(self, found: Packages) -> None:
        """The project's own files give no hashes for what it did not ask for."""
        self.ours |= {"pytest", *self.needed} & set(found)

    def compiled(
        self, asked: Iterable[str], constraints: Sequence[str] = (), overrides: Sequence[str] = ()
    ) -> Packages:
        uv, wanted = self.uv, self.wanted
        given = [str(one.requirement) for one in wanted.constraints]
        words: list[str] = []
        if given or constraints:
            words += ["--constraints", uv.file("constraints.txt", [*given, *constraints])]
        if overrides:
            words += ["--overrides", uv.file("overrides.txt", overrides)]
        if self.own:
            words += ["--excludes", uv.file("excludes.txt", [self.own])]
        if wanted.prereleases:
            words += ["--prerelease", "allow"]
        if before := uv.order["prefer"]:
            # uv keeps the versions in an output file that exists, where nothing speaks against them
            words += ["--output-file", uv.file("before.txt", [before])]
        text = uv.run(
            *["pip", "compile", uv.file("in.txt", asked), *words, *uv.index(), *uv.wheels_only()],
            *["--python", PYTHON, "--no-python-downloads", "--generate-hashes", "--no-header", "--no-annotate"],
            "--no-sources",
        )
        return parsed(text, "the resolution")

    def with_given_hashes(self, found: Packages) -> Packages:
        """Takes only files that the project itself names by hash, where it names any."""
        wanted = self.wanted
        if wanted.hashed() and (without := sorted(set(found) - set(wanted.hashes) - self.ours)):
            raise refused(
                f"The dependency files give every line a hash, and {listed(without)} is required and not there.",
                "Add it with its hashes (pip-compile --generate-hashes writes them), or leave all hashes out.",
            )
        given = {name: hashes for name, hashes in wanted.hashes.items() if name not in self.ours}
        return {name: one._replace(hashes=given.get(name) or one.hashes) for name, one in found.items()}


def without_marker(requirement: Requirement) -> str:
    return f"{requirement.name}{requirement.specifier}"


def judged_by(found: Packages) -> bool:
    """Whether the pytest of an environment is one that a check can run with."""
    if "pytest" not in found:
        return True
    pluggy = found["pluggy"].version if "pluggy" in found else OLDEST_PLUGGY
    return pytest_range(found["pytest"].version) and Version(pluggy) >= Version(OLDEST_PLUGGY)

"""Finds the pytest plugins of installed packages in their metadata: once, before any tree arrives, where pytest would
look again at each start."""

from __future__ import annotations

import importlib.metadata
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

GROUP = "pytest11"
OURS = "tilth"  # the INSTALLER of the project's own metadata, whose modules are in the tree
RUN_COROUTINES = ("pytest_asyncio", "anyio", "pytest_trio", "pytest_tornasync", "pytest_twisted", "pytest_aiohttp")
# Plugins that only measure, spread, reorder or report.
PLUGINS_LEFT_OUT = {
    *["cov", "pytest_cov", "pytest_cov.plugin", "xdist", "xdist.plugin", "xdist.looponfail", "timeout"],
    *["pytest_timeout", "html", "pytest_html", "sugar", "pytest_sugar", "randomly", "pytest_randomly", "random_order"],
    *["instafail", "pytest_instafail", "json_report", "pytest_jsonreport", "forked", "pytest_forked"],
    *["rerunfailures", "pytest_rerunfailures", "testmon", "pytest_testmon", "pytest_split", "reportlog"],
    *["pytest_reportlog", "allure_pytest"],
}
DISTRIBUTIONS_LEFT_OUT = {
    *["pytest-cov", "pytest-xdist", "pytest-timeout", "pytest-html", "pytest-sugar", "pytest-randomly"],
    *["pytest-random-order", "pytest-instafail", "pytest-json-report", "pytest-forked", "pytest-split"],
    *["pytest-rerunfailures", "pytest-testmon", "pytest-reportlog", "allure-pytest"],
}


class Plugin:
    """A plugin of an installed package. `loaded`: None until it has been imported."""

    def __init__(self, entry: EntryPoint, distribution: Distribution) -> None:
        self.entry = entry
        self.name = entry.name
        self.module = entry.value.partition(":")[0].strip()
        self.distribution = distribution
        self.is_own = (distribution.read_text("INSTALLER") or "").strip() == OURS
        self.loaded: object = None

    def load(self) -> object:
        if self.loaded is None:
            self.loaded = self.entry.load()
        return self.loaded


def find() -> tuple[list[Plugin], list[Plugin]]:
    """The plugins in the order in which pytest would load them, and those that a check leaves out."""
    found: list[Plugin] = []
    left_out: list[Plugin] = []
    folders = [path for path in sys.path if path.endswith("site-packages")]
    for distribution in importlib.metadata.distributions(path=folders):
        for entry in distribution.entry_points:
            if entry.group == GROUP:
                plugin = Plugin(entry, distribution)
                names = (plugin.name, plugin.module, distribution.metadata["Name"])
                (left_out if is_left_out(*names) else found).append(plugin)
    return found, left_out


def is_left_out(name: str, module: str, package: str) -> bool:
    names = {name, module, module.partition(".")[0]}
    return not PLUGINS_LEFT_OUT.isdisjoint(names) or distribution(package) in DISTRIBUTIONS_LEFT_OUT


def distribution(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement.strip(), maxsplit=1)[0].lower().replace("_", "-")


def run_coroutines() -> bool:
    return any(is_served(name) for name in RUN_COROUTINES)


def is_served(name: str) -> bool:
    """Whether a plugin of that name, or of a package of that name, is there."""
    return any(name in (plugin.name, plugin.module.partition(".")[0]) for plugin in FOUND)


FOUND, LEFT_OUT = find()

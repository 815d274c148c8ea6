"""The dependencies that a tree declares, by the modules they bring."""

from __future__ import annotations

import ast
import re
import tomllib

import iniconfig

from check.tree.imports import called, literal, parse
from check.tree.trees import base_name, folder_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from check.tree.tables import Value
    from check.tree.trees import Tree
    from check.wire.shapes import DeclaredModule

    # gives lines that name requirements; anything may stand among them
    Reader = Callable[[str], Iterable[object]]


REQUIREMENT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
SETUP_KEYS = {"install_requires", "extras_require", "tests_require"}
MOST = 2000

# Distributions whose modules are not named after them.
MODULES = {
    "attrs": ["attr", "attrs"],
    "beautifulsoup4": ["bs4"],
    "biopython": ["Bio"],
    "discord-py": ["discord"],
    "djangorestframework": ["rest_framework"],
    "dnspython": ["dns"],
    "faiss-cpu": ["faiss"],
    "fonttools": ["fontTools"],
    "gitpython": ["git"],
    "google-api-python-client": ["googleapiclient"],
    "grpcio": ["grpc"],
    "ipython": ["IPython"],
    "markdown-it-py": ["markdown_it"],
    "mysqlclient": ["MySQLdb"],
    "opencv-contrib-python": ["cv2"],
    "opencv-python": ["cv2"],
    "opencv-python-headless": ["cv2"],
    "paho-mqtt": ["paho"],
    "pillow": ["PIL"],
    "progressbar2": ["progressbar"],
    "protobuf": ["google"],
    "psycopg2-binary": ["psycopg2"],
    "py-cpuinfo": ["cpuinfo"],
    "pycryptodome": ["Crypto"],
    "pycryptodomex": ["Cryptodome"],
    "pygobject": ["gi"],
    "pyjwt": ["jwt"],
    "pymupdf": ["fitz", "pymupdf"],
    "pynacl": ["nacl"],
    "pyopenssl": ["OpenSSL"],
    "pyserial": ["serial"],
    "python-levenshtein": ["Levenshtein"],
    "python-multipart": ["multipart", "python_multipart"],
    "pywin32": ["win32api", "win32con"],
    "pyyaml": ["yaml"],
    "pyzmq": ["zmq"],
    "ruamel-yaml": ["ruamel"],
    "scikit-image": ["skimage"],
    "scikit-learn": ["sklearn"],
    "setuptools": ["setuptools", "pkg_resources"],
    "umap-learn": ["umap"],
    "websocket-client": ["websocket"],
}
NAMESPACES = {"google-cloud-": "google", "azure-": "azure", "opentelemetry-": "opentelemetry"}


def declared_in(tree: Tree) -> list[DeclaredModule]:
    own = own_names(tree)
    found: dict[str, str] = {}
    for path in tree.entries:
        for requirement in requirements_of(path, tree):
            if normal(requirement) in own:
                continue  # extras of the project are asked for by its own name
            for module in modules_of(requirement):
                found.setdefault(module, requirement)
    modules = sorted(found.items())[:MOST]
    return [{"module": module, "requirement": requirement} for module, requirement in modules]


def normal(requirement: str) -> str:
    found = REQUIREMENT.match(requirement)
    return re.sub(r"[._-]+", "-", found[0]).lower() if found else ""


def own_names(tree: Tree) -> set[str]:
    pyproject, setup = tree.text("pyproject.toml") or "", parse(tree.text("setup.py") or "")
    try:
        document = tomllib.loads(pyproject)
        tables: list[Any] = [document.get("project", {}), document.get("tool", {}).get("poetry", {})]
        found: list[object] = [table.get("name") for table in tables]
    except (tomllib.TOMLDecodeError, AttributeError, RecursionError):
        found = []
    calls = [node for node in ast.walk(setup) if isinstance(node, ast.Call)] if setup else []
    found += [literal(given.value) for call in calls for given in call.keywords if given.arg == "name"]
    found += re.findall(r"^name\s*=\s*(\S+)", tree.text("setup.cfg") or "", re.MULTILINE)
    return {normal(name) for name in found if isinstance(name, str)}


def requirements_of(path: str, tree: Tree) -> list[str]:
    name, folder = base_name(path), folder_of(path)
    reader: Reader | None = {"pyproject.toml": of_pyproject, "setup.cfg": of_setup_cfg, "setup.py": of_setup}.get(path)
    if name.endswith(".txt") and (folder == "requirements" or (not folder and name.startswith("requirements"))):
        reader = of_lines
    if reader is None or (text := tree.text(path)) is None:
        return []
    try:
        lines = [str(line).split(" #")[0].split(";")[0].strip() for line in reader(text)]
    except (tomllib.TOMLDecodeError, iniconfig.ParseError, ValueError, AttributeError, TypeError, RecursionError):
        return []
    return [line[:100] for line in lines if REQUIREMENT.match(line)]


def modules_of(requirement: str) -> list[str]:
    found = REQUIREMENT.match(requirement)
    written, name = found[0] if found else "", normal(requirement)
    if name in MODULES:
        return MODULES[name]
    space = next((module for prefix, module in NAMESPACES.items() if name.startswith(prefix)), None)
    if space or "." in written:
        return [space or written.partition(".")[0]]
    bare = name.removeprefix("python-").removesuffix("-python")
    return sorted({written.replace("-", "_"), name.replace("-", "_"), bare.replace("-", "_")})


def of_lines(text: str) -> list[str]:
    return text.splitlines()


def of_pyproject(text: str) -> list[Any]:
    document = tomllib.loads(text)
    project, tool = document.get("project", {}), document.get("tool", {})
    groups = [*project.get("optional-dependencies", {}).values(), *document.get("dependency-groups", {}).values()]
    found = [*project.get("dependencies", []), *(line for group in groups for line in group if isinstance(line, str))]
    poetry = tool.get("poetry", {})
    tables = [poetry.get("dependencies", {}), poetry.get("dev-dependencies", {})]
    tables += [group.get("dependencies", {}) for group in poetry.get("group", {}).values()]
    return found + [of_poetry(name, wanted) for table in tables for name, wanted in table.items() if name != "python"]


def of_poetry(name: str, wanted: Value) -> str:
    version = wanted if isinstance(wanted, str) else wanted.get("version", "") if isinstance(wanted, dict) else ""
    return f"{name} {version}".strip()


def of_setup_cfg(text: str) -> list[str]:
    document = iniconfig.IniConfig("setup.cfg", data=text)
    options = dict(document["options"].items()) if "options" in document else {}
    extras = dict(document["options.extras_require"].items()) if "options.extras_require" in document else {}
    values = [value for key, value in options.items() if key in SETUP_KEYS] + list(extras.values())
    return [line for value in values for line in value.splitlines()]


def of_setup(text: str) -> list[str]:
    """Requirements that stand literally in the call of setup(), or in a name passed to it."""
    module = parse(text)
    nodes = list(ast.walk(module)) if module else []
    assigned = {
        target.id: node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    given = [
        assigned.get(getattr(keyword.value, "id", ""), keyword.value)
        for node in nodes
        if isinstance(node, ast.Call) and called(node) == "setup"
        for keyword in node.keywords
        if keyword.arg in SETUP_KEYS
    ]
    return [text for value in given for text in strings_in(value)]


def strings_in(node: ast.expr) -> list[str]:
    values = node.values if isinstance(node, ast.Dict) else [node]
    return [text for value in values for inner in ast.walk(value) if (text := literal(inner))]

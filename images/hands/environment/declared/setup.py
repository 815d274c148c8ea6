"""Reads what a project declares in setup.cfg, and the little of setup.py that can be read without running it."""

import ast
import re
import warnings

from environment.declared import about
from environment.declared.declared import named, of_pyproject, specifiers
from environment.declared.project import GROUPS, Declared, Project
from environment.places import normal
from environment.problem import Problem

BETWEEN = re.compile(r";(?!\s*\(?\s*[a-z_]+\s*[=<>!~n])")
FILES = re.compile(r"file:\s*(.+)")


def project_of(files, folder=""):
    project = Project(files, folder)
    if project.pyproject in files:
        of_pyproject(project)
    if project.setup_cfg in files:
        try:
            of_setup_cfg(project, files.ini(project.setup_cfg))
        except Problem:
            if project.name is None:
                raise  # a project that has a name may keep only some tool's configuration there
    if project.name is None and not folder and "setup.py" in files:
        of_setup_py(project, files.text_or_nothing("setup.py"))
    return project


def of_setup_cfg(project, sections):
    said, options = section(sections, "metadata"), section(sections, "options")
    project.folders = folders(options, section(sections, "options.packages.find"))
    if project.name is None and "name" in said:
        project.source = project.setup_cfg
        version = said.get("version", "")
        named(project, said["name"].strip(), None if ":" in version else version.strip() or None)
        project.about = about.of_words(said)
        project.entry_points = entry_points(section(sections, "options.entry_points"))
    if project.requires_python is None:
        project.requires_python = specifiers(options.get("python_requires", "").strip(), project.setup_cfg)
    if project.dependencies is None and "install_requires" in options:
        project.dependencies = taken(project, options["install_requires"], "install_requires")
    for name, text in section(sections, "options.extras_require").items():
        if normal(name) not in project.extras:
            project.extras[normal(name)] = taken(project, text, f"extras_require {name}", normal(name) in GROUPS)


def taken(project, text, label, follow=True):
    if found := FILES.fullmatch(text.strip()):
        project.dependency_files += [path.strip() for path in found[1].split(",")] if follow else []
        return Declared(project.files, project.setup_cfg, label, [])
    return Declared(project.files, project.setup_cfg, label, [line.strip() for line in lines(text)])


def lines(text):
    """setuptools takes a list on lines of its own, or on one line with semicolons where no marker is meant."""
    found = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return found if "\n" in text else [part for line in found for part in BETWEEN.split(line)]


def section(sections, name):
    return dict(sections.items(name)) if sections.has_section(name) else {}


def entry_points(groups):
    found = {}
    for group, text in groups.items():
        pairs = [line.partition("=") for line in text.splitlines() if "=" in line]
        found[group] = {name.strip(): value.strip() for name, _, value in pairs}
    return found


def folders(options, find):
    mapped = [line.partition("=") for line in options.get("package_dir", "").splitlines() if "=" in line]
    return [folder.strip() for name, _, folder in mapped if not name.strip()] + [find.get("where", "").strip()]


def of_setup_py(project, text):
    """Takes name, version and the folder of the modules if they are written out in the call of setup()."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", None)) == "setup":
            project.folders += [root for one in node.keywords if one.arg == "package_dir" for root in root_of(one.value)]
            given = {one.arg: one.value.value for one in node.keywords if isinstance(one.value, ast.Constant)}
            if isinstance(given.get("name"), str):
                project.source = "setup.py"
                named(project, given["name"], given.get("version"))
                project.about = about.of_words(given)
                return


def root_of(mapping):
    pairs = zip(mapping.keys, mapping.values) if isinstance(mapping, ast.Dict) else []
    return [folder.value for name, folder in pairs if is_constant(name, "") and isinstance(folder, ast.Constant)]


def is_constant(node, value):
    return isinstance(node, ast.Constant) and node.value == value

"""Makes the virtual environment itself, and installs exactly what a lock names."""

import filecmp
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys

from environment.places import ENVIRONMENT, JUDGE, LIBRARY, MANIFEST, PYTHON, PYTHON_VERSION, SITE
from environment.problem import refused, shown

ALONE = f"{ENVIRONMENT}/.judge"
LINKS = ("python", "python3", f"python3.{sys.version_info[1]}")
# Names by which a file beside the interpreter takes its place or tells it where to look.
INTERPRETER = re.compile(r"python(?:\d+(?:\.\d+)*)?t?|pyvenv\.cfg|pybuilddir\.txt|.*\._pth")
SCRIPT = """#!{python}
import sys
from {module} import {name}
if __name__ == "__main__":
    sys.exit({called}())
"""


def emptied():
    for entry in os.scandir(ENVIRONMENT):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)


def bare():
    """A virtual environment without anything in it, for the image's Python."""
    os.makedirs(SITE)
    os.makedirs(f"{ENVIRONMENT}/bin")
    if sys.platlibdir == "lib64":
        os.symlink("lib", f"{ENVIRONMENT}/lib64")
    for name in LINKS:
        os.symlink(PYTHON, f"{ENVIRONMENT}/bin/{name}")
    with open(f"{ENVIRONMENT}/pyvenv.cfg", "w", encoding="utf-8") as file:
        file.write(configuration())


def configuration():
    home = os.path.dirname(PYTHON)
    return f"home = {home}\ninclude-system-site-packages = false\nversion = {PYTHON_VERSION}\n"


def install(uv, lock, *more):
    if lock:
        uv.run(
            *["pip", "install", "--python", f"{ENVIRONMENT}/bin/python", "--no-deps", "--require-hashes"],
            *["--link-mode", "hardlink", *uv.index(), *uv.wheels_only(), "--no-python-downloads", "--no-sources"],
            *[*more, "-r", uv.file("lock.txt", [lock])],
        )


def installed(uv, packages, brought):
    install(uv, brought.lock(packages), *brought.options())
    own = {name: packages[name] for name in JUDGE if name in packages}
    if own:
        install(uv, brought.lock(own), *brought.options(), "--target", ALONE)
    shutil.rmtree(uv.cache, ignore_errors=True)
    if os.path.isfile(f"{ENVIRONMENT}/.lock"):
        os.unlink(f"{ENVIRONMENT}/.lock")  # uv's own
    refuse_interpreters()
    straight()
    refuse_judges()
    shutil.rmtree(ALONE, ignore_errors=True)


def refuse_interpreters():
    """A wheel can bring any file into bin/ and the root of the environment, but must not replace those that make it
    one."""
    taken = [f"bin/{name}" for name in os.listdir(f"{ENVIRONMENT}/bin") if INTERPRETER.fullmatch(name)]
    wrong = [name for name in taken if name.removeprefix("bin/") not in LINKS or not leads_to_python(name)]
    with open(f"{ENVIRONMENT}/pyvenv.cfg", encoding="utf-8", errors="replace") as file:
        wrong += [] if file.read() == configuration() else ["pyvenv.cfg"]
    wrong += ["tilth.json"] if os.path.lexists(MANIFEST) else []
    wrong += [f"{LIBRARY}/{name}" for name in os.listdir(f"{ENVIRONMENT}/{LIBRARY}") if name != "site-packages"]
    if wrong:
        raise refused(
            f"A package brings {wrong[0]}, which would take the place of the environment's own.",
            "Leave that package out.",
        )


def refuse_judges():
    """A wheel can bring any module, but none that checks run with, nor a part of one. The environment's own must equal
    those of an installation without the other packages."""
    names = modules_of_judge()
    here, alone = files_of(SITE, names), files_of(ALONE, names)
    for path in sorted(here):
        if path not in alone or not filecmp.cmp(f"{SITE}/{path}", f"{ALONE}/{path}", shallow=False):
            raise refused(f"A package brings {shown(path)}, which checks run with.", "Leave that package out.")


def modules_of_judge():
    found = [file for name in JUDGE for file in importlib.metadata.distribution(name).files]
    tops = {str(file).partition("/")[0] for file in found if file.suffix == ".py"}
    return {top.partition(".")[0] for top in tops} - {"py"}  # `py` is also a package of its own


def files_of(folder, modules):
    """Files below a folder that belong to modules of these names, in whatever form."""
    tops = [name for name in sorted(os.listdir(folder)) if name.partition(".")[0] in modules] if os.path.isdir(folder) else []
    found = [name for name in tops if os.path.isfile(f"{folder}/{name}")]
    for top in tops:
        for inside, _, files in os.walk(f"{folder}/{top}"):
            found += [os.path.relpath(f"{inside}/{name}", folder) for name in files]
    return found


def leads_to_python(name):
    path = f"{ENVIRONMENT}/{name}"
    return os.path.islink(path) and os.readlink(path) == PYTHON


def straight():
    """Plain files and folders only, that everybody can read and nobody but their owner change."""
    ours = {f"{ENVIRONMENT}/bin/{name}" for name in LINKS} | {f"{ENVIRONMENT}/lib64"}
    for folder, folders, files in os.walk(ENVIRONMENT):
        for name in [*folders, *files]:
            path = os.path.join(folder, name)
            if os.path.islink(path):
                if path not in ours:
                    raise refused(f"A package brings the link {os.path.relpath(path, ENVIRONMENT)}.", "Leave it out.")
                continue
            mode = os.stat(path).st_mode
            wanted = 0o755 if os.path.isdir(path) or mode & 0o100 else 0o644
            if mode & 0o7777 != wanted:
                os.chmod(path, wanted)


def compiled():
    subprocess.run(
        [PYTHON, "-I", "-S", "-m", "compileall", "-q", "-f", "-j", "0", "--invalidation-mode", "unchecked-hash", SITE],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,  # some packages hold files of another Python
    )


def script(name, module, function):
    path = f"{ENVIRONMENT}/bin/{name}"
    if os.path.lexists(path):
        os.unlink(path)
    with open(path, "w", encoding="utf-8") as file:
        first = function.partition(".")[0]
        file.write(SCRIPT.format(python=f"{ENVIRONMENT}/bin/python", module=module, name=first, called=function))
    os.chmod(path, 0o755)


def pytest_of_image():
    own = importlib.metadata.distribution("pytest").entry_points
    for entry in own.select(group="console_scripts"):
        script(entry.name, entry.module, entry.attr)

"""Installs exactly what a lock names."""

from __future__ import annotations

import os
import shutil
import subprocess

from environment.distributions import JUDGE
from environment.making.refused_files import refuse_interpreters, refuse_judges
from environment.making.virtual_environment import LINKS
from environment.places import ENVIRONMENT, PYTHON, SITE
from environment.problem import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from environment.making.built_wheels import BuiltWheels
    from environment.making.environment_lock import Packages
    from environment.making.uv import Uv

ALONE = f"{ENVIRONMENT}/.judge"


def install(uv: Uv, lock: str, *more: str) -> None:
    if lock:
        uv.run(
            *["pip", "install", "--python", f"{ENVIRONMENT}/bin/python", "--no-deps", "--require-hashes"],
            *["--link-mode", "hardlink", *uv.index(), *uv.wheels_only(), "--no-python-downloads", "--no-sources"],
            *[*more, "-r", uv.file("lock.txt", [lock])],
        )


def installed(uv: Uv, packages: Packages, brought: BuiltWheels) -> None:
    install(uv, brought.lock(packages), *brought.options())
    own = {name: packages[name] for name in JUDGE if name in packages}
    if own:
        install(uv, brought.lock(own), *brought.options(), "--target", ALONE)
    shutil.rmtree(uv.cache, ignore_errors=True)
    if os.path.isfile(f"{ENVIRONMENT}/.lock"):
        os.unlink(f"{ENVIRONMENT}/.lock")  # uv's own
    refuse_interpreters()
    straight()
    refuse_judges(ALONE)
    shutil.rmtree(ALONE, ignore_errors=True)


def straight() -> None:
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


def compiled() -> None:
    subprocess.run(
        [PYTHON, "-I", "-S", "-m", "compileall", "-q", "-f", "-j", "0", "--invalidation-mode", "unchecked-hash", SITE],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,  # some packages hold files of another Python
    )

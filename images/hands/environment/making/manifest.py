"""Records every file of an environment with its hash, and tells later whether they are still the same."""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import os

from environment.places import ENVIRONMENT, MANIFEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from environment.wire import Verified


WORKERS = max(2, os.cpu_count() or 2)
CHUNK = 1 << 20
MOST_NAMED = 10


def entries(folder: str, prefix: str = "") -> Iterator[tuple[str, str]]:
    """(path, kind) of everything below a folder: file, link, folder or other."""
    with os.scandir(folder) as found:
        for entry in found:
            path = prefix + entry.name
            if entry.is_symlink():
                yield path, "link"
            elif entry.is_dir():
                inside = list(entries(entry.path, f"{path}/"))
                yield from inside or [(path, "folder")]
            else:
                yield path, "file" if entry.is_file() else "other"


def fact(path: str, kind: str) -> str:
    if kind == "link":
        return f"-> {os.readlink(f'{ENVIRONMENT}/{path}')}"
    if kind != "file":
        return kind
    hashed, buffer = hashlib.sha256(), bytearray(CHUNK)
    with open(f"{ENVIRONMENT}/{path}", "rb", buffering=0) as file:
        while size := file.readinto(buffer):
            hashed.update(memoryview(buffer)[:size])
    return hashed.hexdigest()


def facts_of(part: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(path, fact(path, kind)) for path, kind in part]


def facts() -> dict[str, str]:
    found = sorted((path, kind) for path, kind in entries(ENVIRONMENT) if path != "tilth.json")
    parts = [found[at : at + 200] for at in range(0, len(found), 200)]
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        done = pool.map(facts_of, parts)
        return {path: one for part in done for path, one in part}


def write(about: Mapping[str, object]) -> str:
    """Returns its digest."""
    content = json.dumps({"files": facts(), **about}, sort_keys=True, separators=(",", ":")).encode()
    with open(MANIFEST, "wb") as file:
        file.write(content)
    os.chmod(MANIFEST, 0o644)
    return hashlib.sha256(content).hexdigest()


def verified() -> Verified:
    try:
        with open(MANIFEST, "rb") as file:
            content = file.read()
    except OSError:
        return {"digest": "", "differs": ["tilth.json"]}
    digest = hashlib.sha256(content).hexdigest()
    try:
        expected = json.loads(content)["files"]
        here = facts()
    except (ValueError, KeyError, TypeError, RecursionError, OSError):
        return {"digest": digest, "differs": ["tilth.json"]}
    differs = sorted(path for path in expected.keys() | here.keys() if expected.get(path) != here.get(path))
    return {"digest": digest, "differs": differs[:MOST_NAMED]}

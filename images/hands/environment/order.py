"""The order that a build reads on stdin, and its answers. Loaded by type checkers only: at run time both are JSON."""

from __future__ import annotations

from typing import TypedDict


class Order(TypedDict):
    # path to base64
    files: dict[str, str]
    # the files of TILTH_DEPENDENCIES, if it is set
    named: list[str] | None
    from_source: list[str]
    # the version of the nearest tag
    version: str | None
    index_url: str
    extra_index_urls: list[str]
    # an environment.lock to install as it is
    lock: str | None


class BuildOrder(Order, total=False):
    # an environment.lock whose versions are kept where nothing speaks against them
    prefer: str | None
    # wheels that were built from source, file name to base64
    wheels: dict[str, str]


class Answer(TypedDict):
    ok: bool
    # labels of the dependency files and lists that were read
    taken: list[str]
    # sentences for a person
    said: list[str]
    python: str


class WheelsAnswer(Answer):
    lock: str
    wheels: dict[str, str]


class NamedVersion(TypedDict):
    name: str
    version: str


class BuildAnswer(Answer):
    lock: str
    packages: int
    # the digest of the manifest
    digest: str
    pytest: str
    project: NamedVersion | None
    # name and version of each package
    names: list[list[str]]


class EmptyAnswer(BuildAnswer):
    """There is nothing to install, and no project to describe."""

    none: bool

from packaging.markers import Marker
from packaging.specifiers import SpecifierSet

class InvalidRequirement(ValueError): ...

class Requirement:
    name: str
    url: str | None
    extras: set[str]
    specifier: SpecifierSet
    marker: Marker | None
    def __init__(self, requirement_string: str) -> None: ...

"""Lines of a requirements file as pip joins them, without comments."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Number and text of each line, continued lines joined, comments and blank lines left out."""
    number = 0
    parts: list[str] = []
    for at, line in enumerate(text.splitlines(), 1):
        comment = line.lstrip().startswith("#")
        if not parts:
            number = at
        if line.endswith("\\") and not comment:
            parts.append(line[:-1])
            continue
        parts.append(f" {line}" if comment else line)
        yield from meant(number, "".join(parts))
        parts = []
    yield from meant(number, "".join(parts))


def meant(number: int, line: str) -> Iterator[tuple[int, str]]:
    if plain := without_comment(line).strip():
        yield number, plain


def without_comment(line: str) -> str:
    at = line.find("#")
    while at > 0 and not line[at - 1].isspace():
        at = line.find("#", at + 1)
    return line if at < 0 else line[:at]

"""A file's source as Python itself would read it, or why nobody can."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from posixpath import normpath

from check.tree.trees import folder_of, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from check.tree.trees import Tree

COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
PLAIN = {"utf8", "ascii", "usascii", "latin1", "iso88591", "iso885915", "cp1252", "utf8sig"}
BLANKET = re.compile(r"#\s*(ruff:\s*|flake8[:=]\s*)?noqa(?!\s*:\s*[A-Z]+[0-9]+)", re.IGNORECASE)
TOO_DEEP = (RecursionError, MemoryError)


class Unreadable(Exception):
    pass


def parsed(tree: Tree, path: str) -> tuple[ast.Module | None, bytes]:
    """The syntax tree and the bytes; None where Python would not run it either."""
    content = tree.content(path)
    if content is None:
        raise Unreadable("is too large to be read; keep data out of .py files")
    odd = odd_encoding(content)
    if odd:
        raise Unreadable(f"is written in the encoding {odd}, in which code can look like a comment; use utf-8")
    try:
        return ast.parse(content), content
    except (SyntaxError, ValueError):
        return None, content
    except TOO_DEEP:
        raise Unreadable("is nested too deeply to be read") from None


def odd_encoding(content: bytes) -> str | None:
    """The declared encoding if it reads plain bytes as something else, or if only a codec of the project could know it;
    else None."""
    named = next((found[1].decode() for line in content.split(b"\n", 2)[:2] if (found := COOKIE.match(line))), "utf-8")
    if re.sub(r"[^a-z0-9]", "", named.lower()) in PLAIN:
        return None
    try:
        plain = content.decode(named).encode("ascii", "ignore")
    except LookupError:
        return named
    except UnicodeError:
        return None
    return named if plain != bytes(byte for byte in content if byte < 128) else None


def link_problem(tree: Tree, path: str) -> str | None:
    """Objects to a module that is a link to something other than source: no reader would see what it brings."""
    target = tree.link(path)
    if target is not None and not normpath(join(folder_of(path), target)).endswith(".py"):
        return "is a link to a file that is no .py"
    return None


def blanket_comments(content: bytes) -> Iterator[tuple[int, str]]:
    """Lines with a comment that silences the linter altogether, as they stand."""
    if b"noqa" not in content.lower():
        return
    try:
        for token in tokenize.tokenize(io.BytesIO(content).readline):
            if token.type == tokenize.COMMENT and BLANKET.search(token.string):
                yield token.start[0], token.line.strip()
    except (tokenize.TokenError, SyntaxError, ValueError):
        return

"""Problems that end a build with an answer, and messages to a person who watches it."""

from __future__ import annotations

import json
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from environment.wire import ProblemKind, ResultLine, SaidLine, Verified

MOST_SHOWN = 200


class Problem(Exception):
    def __init__(self, kind: ProblemKind, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.kind: ProblemKind = kind
        self.problem, self.remedy = problem, remedy


def refused(problem: str, remedy: str) -> Problem:
    return Problem("refused", problem, remedy)


def shown(text: object) -> str:
    """Text of a file inside a sentence: one line, nothing invisible, not too long."""
    plain = "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in str(text)[:MOST_SHOWN])
    return plain if len(str(text)) <= MOST_SHOWN else f"{plain}…"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def listed(names: Iterable[str]) -> str:
    names = list(names)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def tell(message: SaidLine | ResultLine | Verified) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def say(sentence: str) -> None:
    tell({"say": sentence})

"""Problems that end a build with an answer, and messages to a person who watches it."""

import json
import sys

MOST_SHOWN = 200


class Problem(Exception):
    def __init__(self, kind, problem, remedy):
        super().__init__(problem)
        self.kind, self.problem, self.remedy = kind, problem, remedy


def refused(problem, remedy):
    return Problem("refused", problem, remedy)


def shown(text):
    """Text of a file inside a sentence: one line, nothing invisible, not too long."""
    plain = "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in str(text)[:MOST_SHOWN])
    return plain if len(str(text)) <= MOST_SHOWN else f"{plain}…"


def counted(number, noun):
    return f"{number} {noun}{'' if number == 1 else 's'}"


def listed(names):
    names = list(names)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def tell(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def say(sentence):
    tell({"say": sentence})

"""Lists as text for other programs."""

import csv
import io
import json


def as_markdown(todos):
    return "".join(f"- [{'x' if item.done else ' '}] {emphasised(item)}\n" for item in todos.by_priority())


def emphasised(item):
    return f"**{item.text}**" if item.high else item.text


def as_csv(todos):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["number", "done", "high", "text"])
    for item in todos:
        writer.writerow([item.number, yes_or_no(item.done), yes_or_no(item.high), item.text])
    return out.getvalue()


def yes_or_no(mark):
    return "yes" if mark else "no"

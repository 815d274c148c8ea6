"""Turns what a project tells people about itself into the headers of its metadata, because its code may read them."""

from __future__ import annotations

from environment.declared.documents import is_list, is_table, list_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    # name and text of each
    Headers = list[tuple[str, str]]

HEADERS = {
    "description": "Summary",
    "summary": "Summary",
    "keywords": "Keywords",
    "url": "Home-page",
    "home_page": "Home-page",
    "download_url": "Download-URL",
    "author": "Author",
    "author_email": "Author-email",
    "maintainer": "Maintainer",
    "maintainer_email": "Maintainer-email",
    "license": "License",
    "license_expression": "License-Expression",
}


def of_table(said: dict[str, Any]) -> Headers:
    """The [project] table of pyproject.toml."""
    licence = said.get("license")
    keywords = said.get("keywords")
    found: list[tuple[str, object]] = [("Summary", said.get("description"))]
    found.append(("Keywords", ",".join(map(str, keywords)) if is_list(keywords) else None))
    for header, people in (("Author", said.get("authors")), ("Maintainer", said.get("maintainers"))):
        found += of_people(header, [one for one in list_in(people) if is_table(one)])
    if isinstance(licence, str):
        found.append(("License-Expression", licence))
    elif is_table(licence):
        found.append(("License", licence.get("text")))
    found += [("Classifier", one) for one in list_in(said.get("classifiers"))]
    urls = said.get("urls")
    found += [("Project-URL", f"{label}, {url}") for label, url in urls.items()] if is_table(urls) else []
    return sound(found)


def of_people(header: str, people: list[dict[str, Any]]) -> Headers:
    """Names alone, and addresses with the names they belong to."""
    names = [one["name"] for one in people if "name" in one and "email" not in one]
    addresses = [
        f"{one['name']} <{one['email']}>" if "name" in one else str(one["email"]) for one in people if "email" in one
    ]
    return [(header, ", ".join(map(str, names))), (f"{header}-email", ", ".join(addresses))]


def of_words(said: Mapping[str, object]) -> Headers:
    """The words of setup(), and of [metadata] in setup.cfg."""
    texts = {key.replace("-", "_"): value for key, value in said.items() if isinstance(value, str)}
    texts = {key: value for key, value in texts.items() if not value.strip().startswith(("file:", "attr:"))}
    found = [(header, texts[key]) for key, header in HEADERS.items() if key in texts]
    found += [("Classifier", line) for line in texts.get("classifiers", "").splitlines()]
    pairs = [line.partition("=") for line in texts.get("project_urls", "").splitlines() if "=" in line]
    found += [("Project-URL", f"{label.strip()}, {url.strip()}") for label, _, url in pairs]
    return sound(found)


def sound(found: Iterable[tuple[str, object]]) -> Headers:
    """One line for each header; longer texts are folded, as in a mail."""
    texts = [(header, [line.strip() for line in text.splitlines()]) for header, text in found if isinstance(text, str)]
    return [(header, "\n        ".join(filter(None, lines))) for header, lines in texts if any(lines)]

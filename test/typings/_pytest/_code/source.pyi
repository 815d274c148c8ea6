class Source:
    lines: list[str]

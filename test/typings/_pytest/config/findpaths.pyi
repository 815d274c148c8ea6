from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

def locate_config(
    *given: Path | Sequence[Path],
) -> tuple[Path | None, Path | None, Mapping[str, Any], Sequence[str]]: ...

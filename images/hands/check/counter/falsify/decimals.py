"""Calculates with decimals whatever precision and traps the project has set: under those, a question might fail."""

from __future__ import annotations

import decimal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

context_of, CONTEXT = decimal.localcontext, decimal.Context(prec=60, Emin=-999_999, Emax=999_999, traps=[])


def own_context() -> AbstractContextManager[decimal.Context]:
    return context_of(CONTEXT)

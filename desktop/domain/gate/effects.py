"""The effects that a write of SQL would have, found out in a transaction that is rolled back or on a copy (gate-Q21 to
gate-Q23)."""

from typing import Literal

from desktop.domain.core.base import Frozen


class TableEffect(Frozen):
    """One table: rows by operation, its size before, and samples of up to 20 rows. `by`: `statement`, `trigger` or
    `cascade`: what touched it."""

    table: str
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    rows_before: int | None = None
    by: Literal["statement", "trigger", "cascade"] = "statement"
    columns: tuple[str, ...] = ()
    before: tuple[tuple[str, ...], ...] = ()
    after: tuple[tuple[str, ...], ...] = ()


class EffectPreview(Frozen):
    """The effects that the preview found, or (`problem`) why there are none. `triggers`, `cascades`: names that fired.

    `not_undone`: what rolling back does not take back. `on_click`: none was made yet, a person may ask for it.
    `duration_ms`: how long it took.
    """

    tables: tuple[TableEffect, ...] = ()
    triggers: tuple[str, ...] = ()
    cascades: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    not_undone: tuple[str, ...] = ()
    problem: str = ""
    on_click: bool = False
    duration_ms: int = 0

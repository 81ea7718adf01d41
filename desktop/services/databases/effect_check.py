"""Whether a write does what a person approved: the numbers of its preview beside those of the write itself."""

from collections.abc import Iterable

from desktop.domain.gate.effects import EffectPreview, TableEffect


def effect_problem(approved: EffectPreview, found: Iterable[TableEffect]) -> str:
    """Why the write must be rolled back, "" if it stays within the approved effect (gate-Q22).

    More rows of a kind in a table, or another table, is too much; fewer is not.
    """
    known = {effect.table: effect for effect in approved.tables}
    found = tuple(found)
    exceeded = any(_exceeds(effect, known.get(effect.table, TableEffect(table=effect.table))) for effect in found)
    if not exceeded:
        return ""
    would, were = sum(map(_rows, found)), sum(map(_rows, approved.tables))
    text = f"Rolled back: it would have changed {would:,} rows, {were:,} were approved."
    others = sorted(effect.table for effect in found if effect.table not in known and _rows(effect))
    return f"{text} Not in the preview: {', '.join(others)}." if others else text


def _exceeds(found: TableEffect, approved: TableEffect) -> bool:
    return found.inserted > approved.inserted or found.updated > approved.updated or found.deleted > approved.deleted


def _rows(effect: TableEffect) -> int:
    return effect.inserted + effect.updated + effect.deleted

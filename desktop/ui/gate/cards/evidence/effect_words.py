"""What a preview of SQL found, in sentences, and its sample rows as a difference."""

from desktop.domain.display.text import display_text
from desktop.domain.gate.effects import EffectPreview, TableEffect
from desktop.language import number, said, tr
from desktop.records import dataclass
from desktop.ui.text.format import count

ROLLED_BACK = tr("The preview was rolled back.")
_SENTENCES = {
    "deleted": {
        "statement": tr("Deletes {figure} in {table}."),
        "trigger": tr("By a trigger: deletes {figure} in {table}."),
        "cascade": tr("By a foreign key: deletes {figure} in {table}."),
    },
    "updated": {
        "statement": tr("Updates {figure} in {table}."),
        "trigger": tr("By a trigger: updates {figure} in {table}."),
        "cascade": tr("By a foreign key: updates {figure} in {table}."),
    },
    "inserted": {
        "statement": tr("Inserts {figure} into {table}."),
        "trigger": tr("By a trigger: inserts {figure} into {table}."),
        "cascade": tr("By a foreign key: inserts {figure} into {table}."),
    },
}
_MOST_ROWS = 40


@dataclass(frozen=True)
class SampleRow:
    """A row before (−) or after (+). `changed`: the columns in which it differs from its other half."""

    sign: str
    cells: tuple[str, ...]
    changed: frozenset[int] = frozenset()


def effect_sentences(preview: EffectPreview) -> tuple[str, ...]:
    """One sentence per table and operation, the statement's own tables first; the last says that nothing stayed."""
    if preview.problem:
        reason = display_text(said(preview.problem)).strip().rstrip(".")
        return (tr("No preview: {reason}.", reason=reason),)
    order = ("statement", "trigger", "cascade")
    tables = sorted(preview.tables, key=lambda table: order.index(table.by))
    found = [sentence for table in tables for sentence in _table_sentences(table)]
    return (*(found or [tr("Changes no rows.")]), ROLLED_BACK)


def _table_sentences(table: TableEffect) -> list[str]:
    name, before = display_text(table.table), table.rows_before
    found = []
    for done, rows, of in (
        ("deleted", table.deleted, before),
        ("updated", table.updated, before),
        ("inserted", table.inserted, None),
    ):
        if rows:
            figure = (
                tr("{rows} of {rows_2}", rows=number(rows), rows_2=count(of, "row"))
                if of is not None
                else count(rows, "row")
            )
            found.append(_SENTENCES[done][table.by].format(figure=figure, table=name))
    return found


def sample_rows(table: TableEffect) -> tuple[SampleRow, ...]:
    """The samples in pairs where each row before has one after, else all before, then all after."""
    if table.before and len(table.before) == len(table.after):
        pairs = [_pair(before, after) for before, after in zip(table.before, table.after, strict=True)]
        rows = [row for pair in pairs for row in pair]
    else:
        rows = [SampleRow("−", cells) for cells in table.before] + [SampleRow("+", cells) for cells in table.after]
    return tuple(rows[:_MOST_ROWS])


def _pair(before: tuple[str, ...], after: tuple[str, ...]) -> tuple[SampleRow, SampleRow]:
    changed = frozenset(at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new)
    return SampleRow("−", before, changed), SampleRow("+", after, changed)

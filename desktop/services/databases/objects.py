"""Tables, indexes and columns of a database before and after: what a change of the schema adds and removes."""

from collections.abc import Collection

from desktop.records import dataclass


@dataclass(frozen=True, order=True)
class DatabaseObject:
    """`owner` is the table that a column belongs to."""

    kind: str
    name: str
    owner: str = ""


def changed_objects(before: Collection[DatabaseObject], after: Collection[DatabaseObject]) -> tuple[str, ...]:
    """One sentence for each object that is gone or new; columns only where their table stays."""
    gone, new = set(before) - set(after), set(after) - set(before)
    owners = {one.name for one in gone | new if one.kind == "table"}
    removed = [f"Removes {one.kind} {one.name}." for one in sorted(gone) if one.owner not in owners]
    added = [f"Adds {one.kind} {one.name}." for one in sorted(new) if one.owner not in owners]
    return (*removed, *added)

"""The mode table, cell by cell (gate 2)."""

import pytest

from desktop.domain.core.permissions import Category, PermissionMode, Verdict
from desktop.policy.modes import MODE_TABLE, mode_reason, mode_row

CELLS = {
    ("plan", "read"): ("ALLOW", False),
    ("plan", "write"): ("DENY", False),
    ("plan", "bash"): ("DENY", False),
    ("plan", "external"): ("DENY", False),
    ("edit", "read"): ("ALLOW", False),
    ("edit", "write"): ("ALLOW", False),
    ("edit", "bash"): ("ASK", False),
    ("edit", "external"): ("ASK", False),
    ("full-auto", "read"): ("ALLOW", False),
    ("full-auto", "write"): ("ALLOW", True),
    ("full-auto", "bash"): ("ALLOW", True),
    ("full-auto", "external"): ("ALLOW", True),
}


def test_every_mode_has_every_category() -> None:
    assert set(MODE_TABLE) == {(mode, category) for mode in PermissionMode for category in Category}
    assert len(CELLS) == len(MODE_TABLE)


@pytest.mark.parametrize(("cell", "expected"), CELLS.items())
def test_each_cell_is_as_specified(cell: tuple[str, str], expected: tuple[str, bool]) -> None:
    row = mode_row(PermissionMode(cell[0]), Category(cell[1]))
    assert (row.verdict.name, row.review_after) == expected


@pytest.mark.parametrize("mode", PermissionMode)
def test_a_proven_read_runs_in_every_mode_and_is_not_looked_back_on(mode: PermissionMode) -> None:
    row = mode_row(mode, Category.BASH, proven_read=True)
    assert (row.verdict.name, row.review_after) == ("ALLOW", False)


@pytest.mark.parametrize("category", [Category.READ, Category.WRITE, Category.EXTERNAL])
def test_proven_read_means_nothing_for_other_categories(category: Category) -> None:
    for mode in PermissionMode:
        assert mode_row(mode, category, proven_read=True) == mode_row(mode, category)


def test_reasons_are_sentences_for_a_card() -> None:
    ask = mode_reason(PermissionMode.EDIT, Category.BASH, Verdict.ASK)
    assert ask == "No rule covers this command, so it asks in Edit mode."
    assert mode_reason(PermissionMode.EDIT, Category.EXTERNAL, Verdict.ASK) == (
        "Actions beyond this lane ask in Edit mode."
    )
    assert mode_reason(PermissionMode.PLAN, Category.WRITE, Verdict.DENY) == (
        "Changes to files are not available in Plan mode."
    )
    assert mode_reason(PermissionMode.PLAN, Category.BASH, Verdict.DENY) == (
        "Only commands that are shown to read run in Plan mode."
    )
    assert mode_reason(PermissionMode.FULL_AUTO, Category.BASH, Verdict.ALLOW) == "Full auto mode allows commands."
    assert mode_reason(PermissionMode.EDIT, Category.BASH, Verdict.ALLOW, proven_read=True) == (
        "The command was shown to read only."
    )

"""Entries as Markdown, and Markdown as entries."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.memory.values import Entry, FileMark, Source
from desktop.policy.memory.exchange import BrokenImport, Statement, read, written

AT = datetime(2026, 11, 22, 12, tzinfo=UTC)
ENTRIES = st.builds(
    Entry,
    id=st.integers(0, 2**48 - 1).map(lambda number: f"mem_{number:012x}"),
    version=st.integers(1, 9),
    owner=st.just("shop"),
    content=st.text(min_size=1, max_size=80).map(str.strip).filter(bool),
    category=st.sampled_from(["fact", "convention", "episode"]),
    tier=st.integers(1, 3),
    status=st.sampled_from(["candidate", "promoted", "quarantined", "archived"]),
    used_at=st.sampled_from([None, AT]),
    files=st.lists(st.builds(FileMark, path=st.text(max_size=9), sha256=st.just("a" * 64)), max_size=2).map(tuple),
    source=st.builds(Source, tainted=st.lists(st.text(max_size=9), max_size=2).map(tuple)),
    chats=st.just(("ses_1", "ses_2")),
    proposal=st.text(max_size=9),
    created_at=st.just(AT),
    updated_at=st.just(AT),
)


@pytest.mark.promise("memory-ME24")
@given(st.lists(ENTRIES, max_size=4, unique_by=lambda one: one.id))
def test_an_export_read_again_gives_equal_entries(entries: list[Entry]) -> None:
    again = [one for text in written(entries).values() for one in read(text, "shop")]
    assert {one.id: one for one in again if isinstance(one, Entry)} == {one.id: one for one in entries}


def entry(**changes: object) -> Entry:
    made = Entry(id="mem_000000000001", content="# Round\n## mem_000000000002\n\\x", created_at=AT, updated_at=AT)
    return made.model_copy(update=changes)


def test_each_scope_and_category_has_a_file_and_headings_of_a_text_are_no_entries() -> None:
    files = written([entry(), entry(id="mem_000000000003", scope="person", category="preference")])
    assert sorted(files) == ["memory-person-preference.md", "memory-project-fact.md"]
    text = files["memory-project-fact.md"]
    assert "\n\\# Round\n\\## mem_000000000002\n\\\\x\n" in text
    (again,) = read(text, "other")
    assert again == entry(owner="other")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("tier: 3", "tier: [", "Entry 1 (mem_000000000001) cannot be read: Expecting value"),
        ("tier: 3", "tear: 3", "its values cannot be read at character 13."),
        ("tier: 3;", "tier: 3", "at character 20."),
        ("tier: 3", 'tier: "x"', "tier: Input should be a valid integer"),
        ("\n\nversion", "\nversion", "it has not the line of its values"),
        ("\n\\# Round\n\\## mem_000000000002\n\\\\x\n", "\n \n", "its text must have 1 to 2,000 characters."),
        ("\\\\x", "x" * 2_001, "its text must have 1 to 2,000 characters."),
    ],
)  # fmt: skip
def test_an_entry_that_cannot_be_read_is_named(old: str, new: str, why: str) -> None:
    text = written([entry()])["memory-project-fact.md"].replace(old, new, 1)
    with pytest.raises(BrokenImport) as error:
        read(text, "shop")
    assert why in str(error.value)


def test_other_markdown_is_read_as_its_statements() -> None:
    text = "# Rules\n\n- Round half up\n  always\n2. Deploy on Fridays\n\n```\n- code\n```\n"
    text += "A paragraph\nof two lines.\n- \n"
    assert read(text, "shop") == [
        Statement("Round half up always"), Statement("Deploy on Fridays"), Statement("A paragraph of two lines."),
    ]  # fmt: skip
    assert read("", "shop") == []


@given(st.text(max_size=200))
def test_no_other_text_fails(text: str) -> None:
    assert isinstance(read(f" {text}", "shop"), list)

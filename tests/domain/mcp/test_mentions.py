"""How a resource of a server is named in a message, and the gap of an address that is being written."""

import pytest

from desktop.domain.mcp.mentions import Gap, Mention, fitting, gap_at, literal, mention_at
from desktop.domain.mcp.updates import McpResource

pytestmark = pytest.mark.promise("guests-M24")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("look at @", Mention("", None)),
        ("@do", Mention("do", None)),
        ("(@docs:", Mention("docs", "")),
        ("a\n@docs:notes://1", Mention("docs", "notes://1")),
        ("me@docs:notes", None),
        ("@docs:notes://1 and", None),
        ("@Docs", None),
        ("nothing", None),
    ],
)
def test_a_mention_is_what_stands_before_the_caret(text: str, found: Mention | None) -> None:
    assert mention_at(text) == found
    assert found is None or text.endswith(found.text)


@pytest.mark.parametrize(
    ("template", "written", "gap"),
    [
        ("notes://{id}", "notes://1", Gap("id", "1", (), "notes://", False)),
        ("notes://{id}", "other", None),
        ("db://{table}/{row}", "db://users/4", Gap("row", "4", (("table", "users"),), "db://users/", False)),
        ("db://{table}/{row}", "db://us", Gap("table", "us", (), "db://", False)),
        ("notes://{id}/text", "notes://1/text", None),
        ("file://{+path}", "file://a/b", Gap("path", "a/b", (), "file://", True)),
        ("find://{?words,more}", "find://", None),
        ("plain://", "plain://", None),
    ],
)
def test_the_gap_that_is_being_written_is_found(template: str, written: str, gap: Gap | None) -> None:
    assert gap_at(template, written) == gap


def test_a_value_is_written_so_that_it_stays_one_part_of_the_address() -> None:
    assert Gap("id", "", (), "notes://", False).filled("a b/c") == "notes://a%20b%2Fc"
    assert Gap("path", "", (), "file://", True).filled("a b/c") == "file://a%20b/c"


def test_resources_that_begin_so_come_first() -> None:
    notes, days = McpResource("notes://1", "Monday"), McpResource("days://{day}", "Days of notes", is_template=True)
    assert fitting((days, notes), "notes") == [notes, days]
    assert fitting((days, notes), "days://") == [days]
    assert fitting((days, notes), "") == [days, notes]
    assert fitting((days, notes), "tuesday") == []
    assert literal("plain") == "plain"

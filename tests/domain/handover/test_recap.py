"""What happened in a time, in a few lines of its handover."""

from datetime import UTC, datetime, timedelta

from desktop.domain.handover.recap import MOST_LINES, recap
from desktop.domain.handover.values import Decided, Handover, Line, Section

NOW = datetime(2026, 11, 21, 14, 2, tzinfo=UTC)
SINCE = NOW - timedelta(minutes=23)


def page(*sections: Section, calls: int = 0) -> Handover:
    return Handover(
        since=SINCE,
        until=NOW,
        chats=1,
        decided=Decided(calls=calls),
        changes=2 if calls else 0,
        difference=0,
        sections=sections,
    )


def line(text: str) -> Line:
    return Line(at=NOW, text=text, session_id="ses_1", seq=1, event_id="evt", chat="Fix login")


def test_what_is_open_comes_first_and_the_newest_of_what_changed_next() -> None:
    changed = Section(title="Changed", lines=tuple(line(f"file {number}") for number in range(5)), more=3)
    opened = Section(title="Open", lines=(line("Run npm test?"),), more=1)
    told = recap(page(changed, opened, Section(title="Next", lines=(line("later"),)), calls=9), SINCE)
    assert [one.line.text for one in told.lines] == ["Run npm test?", "file 4", "file 3", "file 2"]
    assert [one.section for one in told.lines] == ["Open", "Changed", "Changed", "Changed"]
    assert (told.calls, told.changes, told.open, told.more) == (9, 2, 2, 5 + 3 + 2 - MOST_LINES)
    assert not told.is_empty


def test_where_nothing_happened_nothing_is_told() -> None:
    told = recap(page(Section(title="Changed")), SINCE)
    assert told.is_empty
    assert told.open == 0

"""The handover as text: each form, without secrets and without what a terminal would obey."""

import json
from datetime import UTC, datetime

from desktop.domain.handover.values import Apart, Decided, Handover, Line, Section
from desktop.store.library.handover_page import handover_page, shown_page

AT = datetime(2026, 3, 1, 8, tzinfo=UTC)
LINE = Line(at=AT, text="Use KEY\x1b[2J <b>", session_id="ses_1", seq=4, event_id="evt_1", chat="Chat KEY")
PAGE = Handover(
    since=None, until=AT, chats=1, decided=Decided(), changes=0, difference=0,
    sections=(Section(title="Asked", lines=(LINE,), more=2), Section(title="Open")),
)  # fmt: skip


def redact(text: str) -> str:
    return text.replace("KEY", "[removed]")


def test_each_form_has_the_lines_with_their_place() -> None:
    markdown, html = (handover_page(shown_page(PAGE, redact), form) for form in ("markdown", "html"))
    for page in (markdown, html):
        assert "the beginning to 2026-03-01 08:00" in page
        assert "entry 4 of ses" in page
        assert "and 2 more" in page
        assert "Nothing." in page
        assert "KEY" not in page
        assert "\x1b" not in page
        assert "<b>" not in page.replace("<b></b>", "")
    assert "imported" not in handover_page(PAGE, "markdown")
    apart = PAGE.model_copy(update={"imported": Apart(chats=1, calls=2, changes=3)})
    assert "1 imported chats, counted apart: 2 calls, 3 changes." in handover_page(apart, "markdown")
    (section, _nothing) = json.loads(handover_page(shown_page(PAGE, redact), "json"))["sections"]
    assert section["lines"][0]["event_id"] == "evt_1"

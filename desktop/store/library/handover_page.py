"""A handover as a readable page, in the forms of a chat's copy."""

import json
from collections.abc import Iterator
from datetime import datetime

from desktop.domain.display.text import display_text
from desktop.domain.handover.commands import HandoverForm
from desktop.domain.handover.values import Handover, Line
from desktop.store.core.library import Redact
from desktop.store.library.export_items import Item
from desktop.store.library.export_pages import html_page, markdown_page

_OURS = {"sections": {"__all__": {"lines": {"__all__": {"words"}}}}}
"""What a file does not hold of it: the text of each line says it."""


def shown_page(page: Handover, redact: Redact) -> Handover:
    """The page as people may see it, made so once: no secret, which `redact` takes out of a text, and nothing that a
    terminal would obey."""

    def clean(line: Line) -> Line:
        words = line.words
        if words is not None:
            words = words._replace(named=tuple(display_text(redact(one)) for one in words.named))
        shown = {"text": display_text(redact(line.text)), "chat": display_text(redact(line.chat)), "words": words}
        return line.model_copy(update=shown)

    sections = (
        section.model_copy(update={"lines": tuple(clean(line) for line in section.lines)}) for section in page.sections
    )
    return page.model_copy(update={"sections": tuple(sections)})


def handover_page(page: Handover, form: HandoverForm) -> str:
    """The whole text of a page from `shown_page`."""
    if form == "json":
        return json.dumps(page.model_dump(mode="json", exclude=_OURS), ensure_ascii=False, indent=1) + "\n"
    title, notice = _title(page), _notice(page)
    items = _items(page)
    if form == "html":
        return "".join(html_page(title, notice, items, lambda digest: None))
    return "".join(markdown_page(title, notice, items, lambda digest: ""))


def _title(page: Handover) -> str:
    return f"Handover, {_when(page.since)} to {_when(page.until)}"


def _notice(page: Handover) -> str:
    decided = page.decided
    apart = "".join(
        f"{others.chats} {kind} chats, counted apart: {others.calls} calls, {others.changes} changes. "
        for kind, others in (("imported", page.imported), ("damaged", page.damaged))
        if others.chats
    )
    return (
        f"{page.chats} chats. {decided.calls} calls decided: {decided.people} by people, {decided.rules} by rules, "
        f"{decided.modes} by modes, {decided.refused} refused, {decided.nobody} by nobody. {page.changes} changes. "
        + apart
        + f"Difference to the record: {page.difference}. Times are UTC; secrets that were recognised are removed."
    )


def _items(page: Handover) -> Iterator[Item]:
    for section in page.sections:
        count = len(section.lines) + section.more
        yield Item("heading", section.title, f"{count} entries" if count else "Nothing.")
        for line in section.lines:
            place = f"{line.chat}, entry {line.seq} of {line.session_id}"
            yield Item("line", f"{_when(line.at)} {line.text}", place)
        if section.more:
            yield Item("line", f"and {section.more} more", "not listed")
    if page.summary:
        yield Item("heading", "Summary", page.summary_note)
        yield Item("answer", "", page.summary)


def _when(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M}" if at is not None else "the beginning"

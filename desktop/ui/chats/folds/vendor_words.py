"""What a model's own service did by itself, as the line of a call."""

from desktop.domain.core.content import LinkBlock, TextBlock
from desktop.domain.display.text import display_text
from desktop.domain.web.events import VendorSearched
from desktop.language import said, tr
from desktop.ui.chats.folds.rows import VENDOR_RULE, Call
from desktop.ui.text.format import count

_OFFERED = tr("Your settings let the model's service search by itself. The words went to it with the chat.")
_UNASKED = tr("The service did this by itself. Nobody had switched it on, and Banksman could not stop it.")


def vendor_call(event: VendorSearched) -> Call:
    """The line: what was asked, and what was found, which only the service read."""
    done = {"web_search": tr("Search"), "web_fetch": tr("Read")}.get(event.tool, event.tool or tr("Work"))
    asked = f": {event.query}" if event.query else ""
    links = tuple(LinkBlock(url=page.url, label=page.title or page.url) for page in event.results)
    problem = tr("The service says: {problem}", problem=display_text(said(event.problem)))
    return Call(
        event.call_id,
        tr("{done} at the vendor{asked}", done=done, asked=asked),
        "external",
        state="error" if event.problem else "ok",
        result=(TextBlock(text=problem),) if event.problem else links,
        summary=tr("failed") if event.problem else count(len(event.results), "result"),
        reason=problem if event.problem else "",
        rule=VENDOR_RULE,
        why=_OFFERED if event.offered else _UNASKED,
    )

"""tested_words(): what came of the test of a service, a line for each thing that was asked of it."""

from desktop.domain.display.text import display_text
from desktop.domain.updates import EndpointChecked, TriedPart
from desktop.language import said, tr
from desktop.ui.text.figures import figure_words
from desktop.ui.text.format import duration

_PARTS = {"text": tr("Answers with text"), "tool": tr("Calls a tool"), "picture": tr("Reads a picture")}


def tested_words(update: EndpointChecked) -> tuple[str, str]:
    """What it does and what it does not; the sentence of the service alone where nothing else was asked."""
    answer = display_text(figure_words(update.text))
    if not update.tried:
        return answer, ""
    first = tr("Lists its models: {answer} · {time}", answer=answer, time=duration(update.ms))
    does = [_line(part) for part in update.tried if part.ok]
    does_not = [_line(part) for part in update.tried if not part.ok]
    return "\n".join([first, *does]), "\n".join(does_not)


def _line(part: TriedPart) -> str:
    words = f"{_PARTS[part.part]}: {tr('yes') if part.ok else tr('no')} · {duration(part.ms)}"
    return f"{words} · {display_text(said(part.said))}" if part.said else words

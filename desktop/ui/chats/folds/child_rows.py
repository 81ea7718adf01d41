"""What the row of a sub-agent says in its chat: its figures, and how far it is."""

from dataclasses import replace

from desktop.domain.children.events import ChildEnded
from desktop.domain.children.values import WAITS_FOR_PERSON, WAITS_FOR_ROOM, ChildOutcome, tokens_of
from desktop.language import number, tr
from desktop.ui.chats.folds.rows import Child
from desktop.ui.text.call_titles import call_title
from desktop.ui.text.figures import figure_words
from desktop.ui.text.format import count, duration

ENDED_WORDS: dict[ChildOutcome, str] = {
    "completed": tr("done"),
    "failed": tr("failed"),
    "limit": tr("stopped at a limit"),
    "stopped": tr("stopped"),
    "interrupted": tr("interrupted"),
    "not_begun": tr("not begun"),
}


def ended_figure(event: ChildEnded) -> str:
    """A run that is over: "6 steps · 12k tokens · 41 s · 3 files", and how it ended when it is not completed."""
    tokens = tokens_of(event.usage)
    parts = [] if event.outcome == "completed" else [ENDED_WORDS[event.outcome]]
    if event.outcome != "not_begun":
        parts += [count(event.steps, "step")]
        parts += [_thousands(tokens) if tokens >= 1000 else count(tokens, "token")]
        parts += [duration(event.duration_ms)]
    parts += [count(event.files_changed, "file")] if event.files_changed else []
    return " · ".join(parts)


def _thousands(tokens: int) -> str:
    return tr("{amount} tokens", amount=f"{number(round(tokens / 1000))}k")


def progress_of(child: Child, told: str, elapsed_ms: int) -> Child:
    """The sub-agent as far as it is now: its figures in the first line of what is told, its newest call in the next."""
    figure, _, now = told.partition("\n")
    if figure.startswith(WAITS_FOR_ROOM):
        return replace(child, state="queued", figure=tr("waits for room") + figure.removeprefix(WAITS_FOR_ROOM), now="")
    waits = figure.startswith(WAITS_FOR_PERSON)
    figure = figure_words(figure.removeprefix(WAITS_FOR_PERSON).removeprefix(" · "))
    figure = " · ".join(filter(None, [tr("waiting for you"), figure])) if waits else figure
    spent = [duration(elapsed_ms)] if figure and elapsed_ms else []
    figure = " · ".join([figure, *spent] if figure else [])
    return replace(child, state="waiting" if waits else "running", figure=figure, now=call_title(now))

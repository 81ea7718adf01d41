"""What a chat has read that must not leave or that nobody vouches for, and the way to clear the mark."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from desktop.domain.gate.events import TaintReason
from desktop.language import tr
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.fact_list import FactList

_WORDS: dict[TaintReason, str] = {
    "secret": tr("Has read secrets"),
    "outside": tr("Has read outside data"),
    "untrusted": tr("Has read untrusted content"),
}
_SENTENCES: dict[TaintReason, tuple[str, str]] = {
    "secret": (tr("This chat has read secrets."), tr("This chat has read secrets and more.")),
    "outside": (tr("This chat has read outside data."), tr("This chat has read outside data and more.")),
    "untrusted": (tr("This chat has read untrusted content."), tr("This chat has read untrusted content and more.")),
}
_SHORT: dict[TaintReason, tuple[str, str]] = {
    "secret": (tr("Read secrets"), tr("Secrets")),
    "outside": (tr("Read outside data"), tr("Outside data")),
    "untrusted": (tr("Untrusted content"), ""),
}
_EFFECT = tr("While the mark stands, every call that can reach the network asks first.")


def taint_words(reasons: Sequence[TaintReason]) -> str:
    """What the mark reads: the gravest of its reasons, and that there are more."""
    known = [words for reason, words in _WORDS.items() if reason in reasons]
    first = known[0] if known else _WORDS["untrusted"]
    return tr("{first} and more", first=first) if len(known) > 1 else first


def taint_short(reasons: Sequence[TaintReason]) -> tuple[str, str]:
    """The mark in a few words, and in the fewest."""
    return next((words for reason, words in _SHORT.items() if reason in reasons[:1]), _SHORT["untrusted"])


def taint_sentence(reasons: Sequence[TaintReason]) -> str:
    """What it means, for a tooltip."""
    known = [words for reason, words in _SENTENCES.items() if reason in reasons]
    first = known[0] if known else _SENTENCES["untrusted"]
    return f"{first[len(known) > 1]} {_EFFECT}"


class TaintDialog(AskDialog):
    """`agreed`: clear the mark. `sources` must have passed display_text()."""

    def __init__(self, reasons: Sequence[TaintReason], sources: Sequence[str], parent: QWidget) -> None:
        super().__init__(
            Question(
                name="taint_dialog",
                title=taint_words(reasons),
                text=tr(
                    "{effect} Clear it once you know that none of this can do harm. What the chat reads later sets it "
                    "again.",
                    effect=_EFFECT,
                ),
                stay=(tr("Keep the mark"), "taint_keep"),
                go=(tr("Clear the mark"), "taint_clear"),
            ),
            parent,
        )
        shown = FactList("taint_sources", tr("What it has read"), ("eye", "warning"), self)
        shown.show_lines(sources)
        self.details.addWidget(shown)

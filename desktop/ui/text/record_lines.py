"""Lines of the ledger and the handover in the language of the window; recorded and exported they stay English."""

import re
from collections.abc import Callable, Mapping

from desktop.domain.display.text import prose_text
from desktop.domain.handover.fold import one_line
from desktop.domain.handover.told import RULED_TOLD
from desktop.domain.handover.values import Line
from desktop.domain.ledger.effects import Effect
from desktop.language import filled, said, tr
from desktop.ui.text.boundary_titles import boundary_title
from desktop.ui.text.call_titles import call_title
from desktop.ui.text.gate_words import gate_rule_words, refusal_words

_UNDO = "Undo: "
_CUT = re.compile(r"(?P<of>.+) and (?P<n>[0-9]{1,6}) more", re.DOTALL)
_TOLD: Mapping[str, Callable[[str], str]] = {"call": call_title, "boundary": boundary_title, "words": said}


def effect_title(effect: Effect) -> str:
    """What an effect did; a command, and words of others, as they are."""
    if effect.kind == "undo" and effect.what.startswith(_UNDO):
        what, more = effect.what.removeprefix(_UNDO), ""
        if cut := _CUT.fullmatch(what):
            what, more = cut["of"], cut["n"]
        what = what if effect.verbatim else call_title(what)
        return tr("Undo: {what}", what=tr("{names} and {more} more", names=what, more=more) if more else what)
    if effect.tool:
        return effect.what if effect.verbatim else call_title(effect.what)
    return said(effect.what)


def line_text(line: Line) -> str:
    """A line of a handover, on one line."""
    words = line.words
    if words is None:
        return line.text
    named = list(words.named)
    if words.ours:
        named[words.at] = _TOLD[words.ours](named[words.at])
    if words.form == RULED_TOLD["refused"]:
        _times, rule, reason = named
        named[1:] = gate_rule_words(rule), refusal_words(reason, rule)
    after = f", {said(words.after)}" if words.after else ""
    return one_line(prose_text(filled(words.form, *named) + after))

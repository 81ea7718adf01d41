"""What the rule editor says: past calls that a rule would have matched, and its tokens as they grow and shrink."""

from collections.abc import Sequence

from desktop.domain.gate.pending import ShownCommand
from desktop.domain.gate.rules import PastCall, Simulation
from desktop.language import number, tr
from desktop.ui.text.format import count

Tokens = tuple[tuple[str, ...], ...]
CHECKING = tr("Checking past calls…")
EMPTY = tr("A rule needs at least one word.")
_BECAME = {
    "approved": tr("you allowed"),
    "declined": tr("you declined"),
    "allowed": tr("ran without asking"),
    "refused": tr("was refused"),
    "cancelled": tr("was withdrawn"),
}
_OUTCOMES = {
    "approved": tr("you allowed it"),
    "declined": tr("you declined it"),
    "allowed": tr("ran without asking"),
    "refused": tr("was refused"),
    "cancelled": tr("was withdrawn"),
}


def words_of(tokens: Tokens, commands: Sequence[ShownCommand]) -> Tokens:
    """For each proposed prefix the whole words of the command it came from; the prefix itself where none fits."""
    free = [command.words for command in commands if command.state == "asks"]
    found: list[tuple[str, ...]] = []
    for prefix in tokens:
        words = next((words for words in free if words[: len(prefix)] == prefix), prefix)
        if words in free:
            free.remove(words)
        found.append(words)
    return tuple(found)


def past_sentence(simulation: Simulation) -> str:
    """ "Would have matched 14 past calls: 13 you allowed, 1 you declined.", with counts only where they are known."""
    if not simulation.would_match:
        if not simulation.checked:
            return tr("There are no past calls to compare with yet.")
        return tr(
            "Would have matched none of {calls}.{simulation}",
            calls=count(simulation.checked, "past call"),
            simulation=_unknown(simulation),
        )
    matched = tr("Would have matched {calls}", calls=count(simulation.would_match, "past call"))
    if len(simulation.examples) == simulation.would_match:
        outcomes: list[str] = [example.outcome for example in simulation.examples]
        parts = [f"{number(n)} {_BECAME[word]}" for word in _BECAME if (n := outcomes.count(word))]
        return f"{matched}: {', '.join(parts)}.{_unknown(simulation)}"
    declined = (
        tr(", {declined} of them you declined", declined=number(simulation.declined)) if simulation.declined else ""
    )
    return f"{matched}{declined}.{_unknown(simulation)}"


def _unknown(simulation: Simulation) -> str:
    return (
        tr(" {calls} could not be checked.", calls=count(simulation.unknown, "older call"))
        if simulation.unknown
        else ""
    )


def outcome_words(call: PastCall) -> str:
    """What became of a past call."""
    return _OUTCOMES[call.outcome]


def save_text(rules: int, *, despite: bool) -> str:
    """The words on the button that saves and runs."""
    if despite:
        return tr("Save anyway and run")
    return tr("Save rule and run") if rules < 2 else tr("Save {rules} rules and run", rules=rules)

"""What the rule editor says: past calls that a rule would have matched, and its tokens as they grow and shrink."""

from collections.abc import Sequence

from desktop.domain.gate.pending import ShownCommand
from desktop.domain.gate.rules import PastCall, Simulation
from desktop.ui.text.format import count, number

Tokens = tuple[tuple[str, ...], ...]
CHECKING = "Checking past calls…"
EMPTY = "A rule needs at least one word."
_BECAME = {
    "approved": "you allowed",
    "declined": "you declined",
    "allowed": "ran without asking",
    "refused": "was refused",
    "cancelled": "was withdrawn",
}
_OUTCOMES = {
    "approved": "you allowed it",
    "declined": "you declined it",
    "allowed": "ran without asking",
    "refused": "was refused",
    "cancelled": "was withdrawn",
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
            return "There are no past calls to compare with yet."
        return f"Would have matched none of {count(simulation.checked, 'past call')}.{_unknown(simulation)}"
    matched = f"Would have matched {count(simulation.would_match, 'past call')}"
    if len(simulation.examples) == simulation.would_match:
        outcomes: list[str] = [example.outcome for example in simulation.examples]
        parts = [f"{number(n)} {_BECAME[word]}" for word in _BECAME if (n := outcomes.count(word))]
        return f"{matched}: {', '.join(parts)}.{_unknown(simulation)}"
    declined = f", {number(simulation.declined)} of them you declined" if simulation.declined else ""
    return f"{matched}{declined}.{_unknown(simulation)}"


def _unknown(simulation: Simulation) -> str:
    return f" {count(simulation.unknown, 'older call')} could not be checked." if simulation.unknown else ""


def outcome_words(call: PastCall) -> str:
    """What became of a past call."""
    return _OUTCOMES[call.outcome]


def save_text(rules: int, *, despite: bool) -> str:
    """The words on the button that saves and runs."""
    if despite:
        return "Save anyway and run"
    return "Save rule and run" if rules < 2 else f"Save {rules} rules and run"

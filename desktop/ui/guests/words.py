"""What people read of an agent of others: its name, its version, its model."""

from desktop.domain.display.text import display_text
from desktop.domain.guests.updates import GuestChanged
from desktop.language import said

MODEL = "model"


def agent_words(guest: GuestChanged) -> str:
    """Name and version, as "Claude Agent 0.101.0"."""
    return display_text(f"{guest.label} {guest.version}".strip())


def model_words(guest: GuestChanged | None) -> str:
    """The model that the agent says it uses, "" while it says none."""
    options = guest.options if guest is not None else ()
    model = next((one for one in options if one.category == MODEL), None)
    if model is None:
        return ""
    return display_text(next((one.name for one in model.choices if one.value == model.value), model.value))


def control_words(line: str) -> str:
    """What keeps the agent, "Commands: asks first (its word)", in the language."""
    name, _, words = line.partition(": ")
    return f"{said(name)}: {' · '.join(map(said, words.split(' · ')))}"

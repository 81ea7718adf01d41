"""`banksman check display`: what a card, row or title paints of a text, and whether it is marked."""

from pydantic import JsonValue

from desktop.domain.display.surfaces import SURFACES, surface_text
from desktop.policy.display_warn import all_warnings


def check_display(line: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """`{"text", "surface"}` → `{"shown", "warn"}` (gate-J5).

    Raises:
        ValueError: a field is missing or has a wrong type, or there is no such surface.
    """
    text, surface = line.get("text"), line.get("surface")
    if not isinstance(text, str):
        raise ValueError("The field text must be a string.")
    if surface not in SURFACES:
        raise ValueError(f"The field surface must be one of {', '.join(SURFACES)}.")
    return {"shown": surface_text(text, surface), "warn": bool(all_warnings(text, surface))}

"""The answers that a guest lets one give, chosen by their kind alone: ids and names differ from guest to guest."""

from pydantic import JsonValue

CANCELLED: dict[str, JsonValue] = {"outcome": {"outcome": "cancelled"}}
"""The answer that says neither yes nor no."""


def allowing(options: JsonValue) -> dict[str, JsonValue]:
    """The answer that lets this one call run. One that lets more run is never given: remembering is done here
    (guests-A20)."""
    return _answer(options, "allow_once")


def refusing(options: JsonValue) -> dict[str, JsonValue]:
    """The answer that refuses this one call."""
    return _answer(options, "reject_once")


def can_allow(options: JsonValue) -> bool:
    """Whether there is an answer that lets the call run once."""
    return allowing(options) != CANCELLED


def _answer(options: JsonValue, kind: str) -> dict[str, JsonValue]:
    for one in options if isinstance(options, list) else ():
        if isinstance(one, dict) and one.get("kind") == kind and isinstance(one.get("optionId"), str):
            return {"outcome": {"outcome": "selected", "optionId": one["optionId"]}}
    return CANCELLED

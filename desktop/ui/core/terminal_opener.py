"""TerminalOpener: how other parts of a window ask for a terminal, without knowing the drawer."""

from typing import Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.domain.guests.values import guest_of


class OfEndpoint(Protocol):
    """What knows the endpoint of a chat."""

    @property
    def endpoint_id(self) -> str:
        """Of the model service or the agent."""


class TerminalOpener(QObject):
    """A child of each window. `asked`: the lane whose terminal is wanted; `sign_in_asked`: the agent that a person
    wants to sign in to, by the way of that id, "" for the usual one."""

    asked = Signal(str)
    sign_in_asked = Signal(str, str)


def sign_in_of(facts: OfEndpoint | None, window: QWidget) -> None:
    """Open the terminal in which the agent of a chat is signed in."""
    guest_id = guest_of(facts.endpoint_id) if facts is not None else ""
    if guest_id:
        ask_for_sign_in(window, guest_id)


def ask_for_sign_in(window: QWidget, guest_id: str, method_id: str = "") -> None:
    """Open the terminal in which this agent is signed in."""
    opener = window.findChild(TerminalOpener)
    if isinstance(opener, TerminalOpener):
        opener.sign_in_asked.emit(guest_id, method_id)

"""Dialogs that a start does not show, imported when the first one is opened."""

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

from desktop.late import late
from desktop.ui.core.actions import ActionSpec
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Requests
from desktop.ui.core.sink import Clock


class OpenSettings(Protocol):
    """The settings as the window has them. `hearing`: what they hear while they are open."""

    hearing: Hearing
    finished: SignalInstance

    def open(self) -> None:
        """Show them over the window."""

    def show_page(self, name: str) -> None:
        """Show the page of this name."""


def help_dialog(specs: Sequence[ActionSpec], parent: QWidget, page: str) -> None:
    """Open the help at this page; the first call imports it."""
    dialog = late("desktop.ui.window.dialogs.help").HelpDialog(specs, parent)
    dialog.show_page(page)
    dialog.open()


def settings_dialog(requests: Requests, facts: EngineFacts, parent: QWidget, clock: Clock) -> OpenSettings:
    """The settings dialog; the first call imports it."""
    module = late("desktop.ui.settings.dialog")
    dialog: OpenSettings = module.SettingsDialog(requests, facts, parent, clock=clock)
    return dialog

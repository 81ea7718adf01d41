"""Dialogs that a start does not show, imported when the first one is opened."""

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

from desktop.domain.core.update import Update
from desktop.late import late
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.sink import Clock, CommandSink


class OpenSettings(Protocol):
    """The settings as the window has them."""

    finished: SignalInstance

    def open(self) -> None:
        """Show them over the window."""

    def show_page(self, name: str) -> None:
        """Show the page of this name."""

    def apply(self, updates: Sequence[Update]) -> None:
        """Take updates in order."""


def settings_dialog(sink: CommandSink, facts: EngineFacts, parent: QWidget, clock: Clock) -> OpenSettings:
    """The settings dialog; the first call imports it."""
    module = late("desktop.ui.settings.dialog")
    dialog: OpenSettings = module.SettingsDialog(sink, facts, parent, clock=clock)
    return dialog

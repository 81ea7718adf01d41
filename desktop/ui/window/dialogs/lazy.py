"""Dialogs that a start does not show, imported when the first one is opened."""

import importlib
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.sink import Clock, CommandSink

if TYPE_CHECKING:
    from desktop.ui.settings.dialog import SettingsDialog


def settings_dialog(sink: CommandSink, facts: EngineFacts, parent: QWidget, clock: Clock) -> "SettingsDialog":
    """The dialog of `desktop.ui.dialogs.settings`; the first call imports it."""
    module = importlib.import_module("desktop.ui.settings.dialog")
    dialog: SettingsDialog = module.SettingsDialog(sink, facts, parent, clock=clock)
    return dialog

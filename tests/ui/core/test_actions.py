"""The actions: keys that no two share, palette entries, and what is enabled when."""

from collections import Counter

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from desktop.ui.core.actions import Actions, WindowFacts, key_text
from desktop.ui.core.panel import all_actions
from desktop.ui.window.build import PANELS

ACTIONS = all_actions(PANELS)
SYSTEM_KEYS = {"Alt+F4", "Alt+Tab", "Ctrl+Alt+Del", "Meta+L", "Ctrl+Alt+F1", "Print"}
CARD_KEYS = {"Ctrl+Return", "Ctrl+Enter", "Ctrl+Backspace"}


def test_no_two_actions_share_keys_and_none_takes_the_systems_or_a_cards():
    used = Counter(QKeySequence(keys).toString() for spec in ACTIONS for keys in spec.keys)
    assert [keys for keys, times in used.items() if times > 1] == []
    assert not set(used) & (SYSTEM_KEYS | CARD_KEYS)
    assert "" not in used


def test_ids_and_titles_are_unique():
    assert len({spec.id for spec in ACTIONS}) == len(ACTIONS)
    assert len({spec.title for spec in ACTIONS}) == len(ACTIONS)


@pytest.fixture
def actions(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.ran = []
    return Actions(window, ACTIONS, {spec.id: lambda i=spec.id: window.ran.append(i) for spec in ACTIONS}), window


def test_every_action_has_a_name_and_runs_its_handler(actions):
    made, window = actions
    made.set_facts(WindowFacts(project=True, chat=True, turn_running=True, waiting=1, chats=1, two_panes=True))
    for spec in ACTIONS:
        assert made.action(spec.id).objectName() == f"action_{spec.id}"
        made.action(spec.id).trigger()
    assert window.ran == [spec.id for spec in ACTIONS]


def test_only_what_is_possible_is_enabled_and_offered(actions):
    made, _window = actions
    made.set_facts(WindowFacts())
    assert not made.action("stop").isEnabled()
    assert not made.action("new_chat").isEnabled()
    assert {"settings", "open_project"} <= {spec.id for spec in made.offered()}
    assert "rename" not in {spec.id for spec in made.offered()}


def test_keys_read_as_people_know_them():
    assert key_text("palette") == "Ctrl+K"
    assert key_text("archive") == ""

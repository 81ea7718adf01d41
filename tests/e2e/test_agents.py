"""Agents of others in the window: chosen, at work, asked about, missing, and set in the settings."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QWidget

from desktop.ui.widgets.pick_list import PickList
from tests.agent.guest_rig import command, done
from tests.agent.rig import folders_below
from tests.e2e.conftest import Desk
from tests.installed_guest import InstalledGuest

Start = Callable[[], Desk]


@pytest.fixture
def guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InstalledGuest:
    """One that is known, and not installed yet."""
    tools = tmp_path / "tools" / "bin"
    tools.mkdir(parents=True)
    monkeypatch.setenv("PATH", os.pathsep.join((str(tools), os.environ["PATH"])))
    monkeypatch.setenv("SHELL", "")
    guest = InstalledGuest(folders_below(tmp_path / "home"), tools)
    guest.describe()
    return guest


def pick(desk: Desk, title: str) -> None:
    """Choose an entry of the open list of models."""
    shown = desk.see("model_list")
    assert isinstance(shown, PickList)
    desk.until(lambda: title in titles(shown), what=title)
    at = shown.model().index(titles(shown).index(title), 0)
    shown.scrollTo(at)
    QTest.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, pos=shown.visualRect(at).center())


def titles(shown: PickList) -> list[str]:
    model = shown.model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def text_of(widget: QWidget) -> str:
    assert isinstance(widget, QAbstractButton)
    return widget.text()


@pytest.mark.promise("guests-A2")
def test_an_installed_agent_is_chosen_for_a_new_chat_and_does_its_first_task(
    start: Start, guest: InstalledGuest
) -> None:
    guest.install()
    guest.plays({"say": "I look."}, {"ask": command("touch made.txt"), "then": [done()]}, {"say": "It is made."})
    desk = start()
    desk.click("composer_model")
    pick(desk, "Mine")
    desk.until(lambda: text_of(desk.see("composer_model")) == "Mine", "the agent's name")
    desk.send("Make it")
    desk.see("approval_card")
    desk.answer("approval_allow_once")
    desk.until(lambda: "It is made." in desk.transcript_text())
    desk.idle()
    assert desk.window.page.facts is not None
    assert desk.window.page.facts.guest_id == "mine"


def test_an_agent_that_is_not_installed_is_not_offered(start: Start, guest: InstalledGuest) -> None:
    desk = start()
    desk.click("composer_model")
    pick(desk, "More agents…")
    desk.see("settings_agents")

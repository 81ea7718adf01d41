"""Agents of others in the window: chosen, at work, asked about, missing, and set in the settings."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QListWidget, QWidget

from desktop.ui.widgets.pick_list import PickList
from tests.agent.guest_rig import command, done
from tests.e2e.conftest import Desk
from tests.fakes.fake_model_api import FakeModelApi, text_turn
from tests.installed_guest import InstalledGuest

Start = Callable[[], Desk]


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


def begun_with(start: Start, guest: InstalledGuest) -> Desk:
    """The program with the agent chosen for the next chat."""
    guest.install()
    desk = start()
    desk.click("composer_model")
    pick(desk, "Mine")
    return desk


@pytest.mark.promise("guests-A39")
def test_an_agent_that_ended_is_started_again_from_its_row(start: Start, guest: InstalledGuest) -> None:
    guest.plays({"say": "I begin."}, {"exit": 3})
    guest.plays({"say": "Here I am."})
    desk = begun_with(start, guest)
    desk.send("Make it")
    desk.until(lambda: "The agent ended by itself with status 3" in desk.transcript_text())
    desk.idle()
    rows = desk.window.page.transcript.model.rows
    key = next(row.key for row in rows if ("continue", "Start again") in row.actions)
    desk.window.page.transcript.row_action.emit(key, "continue")
    desk.until(lambda: "Here I am." in desk.transcript_text())


@pytest.mark.promise("guests-A26")
def test_a_call_that_ran_without_asking_is_marked_to_be_looked_back_on(start: Start, guest: InstalledGuest) -> None:
    ran = {"sessionUpdate": "tool_call", "status": "completed", **command("python3 x.py")}
    guest.plays({"update": ran}, {"say": "I did it."})
    desk = begun_with(start, guest)
    desk.send("Do it")
    desk.until(lambda: "I did it." in desk.transcript_text())
    desk.idle()
    calls = [call for row in desk.window.page.transcript.model.rows for call in row.calls]
    assert [(call.review_after, call.summary) for call in calls] == [(True, "ran without asking")]
    assert text_of(desk.see("header_review")) == "1 to review"


@pytest.mark.promise("guests-A41")
def test_what_keeps_an_agent_is_told_from_what_was_found(start: Start, guest: InstalledGuest) -> None:
    guest.plays({"say": "Hello."})
    desk = begun_with(start, guest)
    desk.send("Say hello")
    desk.until(lambda: "Hello." in desk.transcript_text())
    desk.idle()
    desk.until(lambda: text_of(desk.see("header_agent")) == "Mine 1.0", "the version")
    desk.click("header_agent")
    told = desk.see("agent_popup_lines").accessibleName()
    assert told.startswith("Commands: asks first (its word)")
    desk.click("agent_popup_end")
    facts = lambda: desk.window.page.facts  # noqa: E731
    desk.until(
        lambda: facts() is not None and facts().guest is not None and facts().guest.state == "resting", "its end"
    )


@pytest.mark.promise("guests-A52")
def test_our_own_loop_goes_on_with_the_chat_of_an_agent(
    start: Start, guest: InstalledGuest, model_api: FakeModelApi
) -> None:
    guest.plays({"say": "The total is 41."})
    desk = begun_with(start, guest)
    desk.send("What is the total?")
    desk.until(lambda: "The total is 41." in desk.transcript_text())
    desk.idle()
    before = desk.window.page.session_id
    desk.window.page.header._on_successor()
    pick(desk, "Banksman")
    desk.until(lambda: desk.window.page.session_id not in ("", before), "the fork")
    model_api.script(text_turn("It should be 42."))
    desk.send("Is that right?")
    desk.until(lambda: "It should be 42." in desk.transcript_text())
    desk.idle()
    assert desk.window.page.facts is not None
    assert desk.window.page.facts.guest_id == ""


def test_an_agent_is_tested_in_the_settings(start: Start, guest: InstalledGuest) -> None:
    guest.install()
    desk = start()
    desk.window.show_settings("agents")
    shown = desk.see("settings_agents_list")
    assert isinstance(shown, QListWidget)
    desk.until(lambda: shown.count() > 0, "the agents")
    last = shown.count() - 1
    assert shown.item(last).text() == "Mine · installed"
    shown.setCurrentRow(last)
    desk.click("settings_agents_test")
    told = desk.see("settings_agents_tested")
    assert isinstance(told, QLabel)
    desk.until(lambda: told.text().startswith("Mine 1.0 started in "), "the test")

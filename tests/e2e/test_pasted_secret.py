"""A secret that a person pastes into a chat: it is neither stored nor sent, and can be kept as a credential."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit

from tests.agent.credential_rig import FileKeyring, file_keyring
from tests.e2e.conftest import Desk
from tests.fakes.fake_model_api import FakeModelApi
from tests.fakes.model_turns import text_turn

Start = Callable[[], Desk]
VALUE = "ghp_9bR2xKq7LmZt4VwYc8Hd1NfJs6PaGe3UoTi0"
ASK = f"Push the release with {VALUE} please"


@pytest.fixture
def ring(tmp_path: Path) -> Iterator[FileKeyring]:
    with file_keyring(tmp_path / "keyring") as ours:
        yield ours


def places(folder: Path) -> list[str]:
    """The files below a folder that hold the value; one that is renamed meanwhile is looked at under its new name."""
    found: list[str] = []
    for path in folder.rglob("*"):
        try:
            holds = path.is_file() and not path.is_symlink() and VALUE.encode() in path.read_bytes()
        except FileNotFoundError:
            return places(folder)
        found += [path.name] if holds else []
    return found


def paste(desk: Desk, text: str) -> None:
    """Put a text in the composer with one key, as from another program."""
    QGuiApplication.clipboard().setText(text)
    field = desk.see("composer_text")
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)


@pytest.mark.promise("memory-CR10")
def test_a_pasted_secret_is_nowhere_on_disk_and_can_be_kept(
    start: Start, model_api: FakeModelApi, tmp_path: Path, ring: FileKeyring
) -> None:
    model_api.script(text_turn("I need the token on a card."), text_turn("The same here."))
    desk = start()
    paste(desk, ASK)
    desk.window.contents.save()
    assert places(tmp_path) == []
    desk.click("composer_send")
    desk.until(lambda: "on a card" in desk.transcript_text(), what="an answer")
    desk.idle()
    told = desk.transcript_text()
    assert "Push the release with [secret GitHub token removed] please" in told
    assert "Taken out of your message: GitHub token." in told
    desk.see("header_taint")
    desk.see("composer_secret")
    assert all(VALUE not in request.raw.decode() for request in model_api.requests)
    assert places(tmp_path) == []

    desk.click("composer_secret_keep")
    field = desk.see("keep_secret_value")
    assert isinstance(field, QLineEdit)
    assert (field.text(), field.echoMode()) == (VALUE, QLineEdit.EchoMode.Password)
    desk.click("keep_secret_kept_month")
    desk.click("keep_secret_store")
    desk.gone("keep_secret")
    desk.gone("composer_secret")
    assert list(ring.entries.values()) != []
    paste(desk, ASK)
    desk.click("composer_send")
    desk.until(lambda: "The same here" in desk.transcript_text(), what="the second answer")
    desk.idle()
    desk.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert places(tmp_path) == ["keyring"]


@pytest.mark.usefixtures("ring")
def test_a_long_paste_becomes_a_file_without_it(start: Start, tmp_path: Path) -> None:
    desk = start()
    paste(desk, f"{ASK}\n" + "A line of a long log.\n" * 2_000)
    desk.see("composer_secret")
    kept = tmp_path / "home"
    desk.until(
        lambda: any("of a long log" in one.read_text(errors="ignore") for one in kept.rglob("*.txt")), what="file"
    )
    assert places(tmp_path) == []


@pytest.mark.usefixtures("ring")
def test_another_chat_forgets_it_and_a_name_of_a_variable_must_be_one(start: Start, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("One."), text_turn("Two."))
    desk = start()
    paste(desk, ASK)
    desk.click("composer_send")
    desk.until(lambda: "One." in desk.transcript_text(), what="an answer")
    desk.idle()
    desk.click("composer_secret_keep")
    names = desk.see("keep_secret_names")
    assert isinstance(names, QLineEdit)
    names.setText("LD_PRELOAD")
    desk.click("keep_secret_store")
    desk.see("lane_error")
    names.setText("KEY")
    hosts = desk.see("keep_secret_hosts")
    assert isinstance(hosts, QLineEdit)
    hosts.setText("10.0.0.1")
    desk.click("keep_secret_store")
    error = desk.see("lane_error")
    assert isinstance(error, QLabel)
    desk.until(lambda: "by name, not by address" in error.text(), what="why the host is refused")
    desk.click("keep_secret_cancel")
    desk.gone("keep_secret")
    desk.see("composer_secret")
    desk.window.new_chat()
    desk.gone("composer_secret")

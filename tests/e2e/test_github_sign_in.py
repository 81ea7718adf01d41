"""A person adds a GitHub, signs in with a token and out again, in the real window."""

from collections.abc import Callable

import keyring
import pytest
from keyring.backends.fail import Keyring as NoKeyring
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget

from tests.e2e.conftest import Desk
from tests.fakes.github.stand_in import FakeGitHub


def test_a_person_signs_in_with_a_token_and_out_again(
    start: Callable[[], Desk], github: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    monkeypatch.delenv("GH_TOKEN", raising=False)
    before = keyring.get_keyring()
    keyring.set_keyring(NoKeyring())
    desk = start()
    desk.window.show_settings("github")
    desk.click("github_add")
    desk.see("github_new_host")
    QTest.keyClicks(desk.see("github_new_host"), github.host)
    desk.click("github_new_add")

    def card() -> QWidget | None:
        cards = desk.window.findChildren(QWidget, "github_card")
        return next((one for one in cards if one.property("item_id") == github.host and one.isVisible()), None)

    desk.until(lambda: card() is not None, "the card")
    shown = card()
    assert shown is not None

    def state() -> str:
        label = shown.findChild(QLabel, "github_state")
        assert label is not None
        return label.text()

    def write(token: str) -> None:
        edit = next(one for one in shown.findChildren(QWidget, "github_token") if one.isVisible())
        QTest.keyClicks(edit, token + "\r")

    def words() -> str:
        return next(iter(one.text() for one in shown.findChildren(QLabel, "github_words")), "")

    write("ghp_wrong")
    desk.until(lambda: words() == "The token is not accepted. Nothing was kept.", "the refusal")
    write(github.token)
    desk.until(lambda: state() == "connected", "the sign-in")
    desk.until(lambda: words() == f"Signed in to {github.host} as octo.", "who signed in")
    assert desk.see("github_keyring").isVisible()
    out = next(one for one in shown.findChildren(QWidget, "github_sign_out") if one.isVisible())
    out.setFocus()
    QTest.keyClicks(out, " ")
    desk.until(lambda: state() == "not connected", "the sign-out")
    assert github.token not in (desk.folders.settings_file).read_text()
    keyring.set_keyring(before)

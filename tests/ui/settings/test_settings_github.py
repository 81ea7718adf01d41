"""The page GitHub of the settings: signing in by a token, by gh and by a code, and hosts."""

import re
from datetime import timedelta

import pytest
from pydantic import SecretStr
from PySide6.QtWidgets import QApplication, QLineEdit

from desktop.config.settings import GITHUB, GitHubHost, Settings
from desktop.domain.github.updates import GitHubChanged, SignInProgress
from desktop.domain.github.values import GitHubAccount
from desktop.domain.updates import CommandFailed, SettingsChanged
from tests.ui.settings_place import Place
from tests.ui.shell_samples import NOW

API = "https://api.github.com"
NONE = GitHubAccount(host="github.com", api_url=API)
CONNECTED = GitHubAccount(
    host="github.com", api_url=API, state="connected", login="octo", source="token", kept="keyring", scopes=("repo",)
)


@pytest.fixture
def place(qtbot):
    place = Place(qtbot, "github")
    place.apply(GitHubChanged(accounts=(NONE,), gh=True))
    return place


def account(place, **changes):
    place.apply(GitHubChanged(accounts=(CONNECTED.model_copy(update=changes),), gh=True))


def step(place, name, **more):
    place.apply(SignInProgress(host="github.com", step=name, **more))


def test_hosts_are_asked_when_the_page_is_shown_and_not_before(qtbot):
    place = Place(qtbot, "general")
    assert "load_github" not in place.sink.kinds()
    place.dialog.show_page("github")
    place.dialog.show_page("general")
    place.dialog.show_page("github")
    assert place.sink.kinds().count("load_github") == 1


def test_a_token_leaves_in_a_command_alone_and_is_shown_nowhere(place):
    assert place.get("github_token", QLineEdit).echoMode() is QLineEdit.EchoMode.Password
    place.write("github_token", "two words")
    assert "no blanks" in place.text("github_token_problem")
    place.write("github_token", " ghp_secret ")
    sent = place.sink.sent[-1]
    assert (sent.type, sent.host, sent.token) == ("sign_in_with_token", "github.com", SecretStr("ghp_secret"))
    assert "ghp_secret" not in place.all_texts()
    step(place, "asking", text="Asking github.com whose token this is…")
    assert not place.get("github_use_gh").isEnabled()
    step(place, "failed", text="The token is not accepted. Nothing was kept.")
    assert place.text("github_words") == "The token is not accepted. Nothing was kept."
    assert place.get("github_use_gh").isEnabled()


def test_who_is_signed_in_is_told_with_rights_and_end(place):
    account(place, expires_at=NOW + timedelta(days=3), scopes=("read:org", "repo"))
    assert place.text("github_state") == "connected"
    assert place.get("github_account").full_text == "octo · kept in the system keyring"
    assert place.get("github_rights").full_text == "read:org, repo"
    assert re.fullmatch(r"\d+ \w+ \d{4}, \d\d:\d\d", place.get("github_end").full_text)
    assert not place.shown("github_token")
    account(place, read_only="The token lacks the right repo.", scopes=())
    assert place.text("github_state") == "read only"
    assert place.text("github_read_only") == "The token lacks the right repo."
    assert place.get("github_rights").full_text == "Set on GitHub for each repository."
    place.click("github_sign_out")
    assert place.sink.kinds()[-1] == "sign_out"


@pytest.mark.parametrize(
    ("state", "chip", "asks"), [("expired", "token not accepted", True), ("offline", "offline", False)]
)
def test_what_is_wrong_is_told_with_one_way_on(place, state, chip, asks):
    account(place, state=state, problem="Some\u202ewords.")
    assert place.text("github_state") == chip
    assert place.shown("github_token") is asks
    assert "\u202e" not in place.all_texts()


def test_only_ways_that_work_are_offered(place):
    assert place.shown("github_use_gh")
    assert not place.shown("github_device")
    place.apply(GitHubChanged(accounts=(NONE,), gh=False))
    assert not place.shown("github_others")
    place.apply(GitHubChanged(accounts=(NONE.model_copy(update={"device": True}),), gh=True))
    place.click("github_use_gh")
    place.click("github_device")
    assert place.sink.kinds()[-2:] == ["sign_in_with_gh", "sign_in_with_device"]


def test_a_code_is_shown_copied_and_stopped_by_closing(place):
    place.apply(GitHubChanged(accounts=(NONE.model_copy(update={"device": True}),)))
    code = {"user_code": "WDJB-MJHT", "address": "https://github.com/login/device", "text": "Type this code."}
    step(place, "code", expires_at=NOW, **code)
    assert place.text("github_device_code") == "WDJB-MJHT"
    place.click("github_device_copy")
    assert QApplication.clipboard().text() == "WDJB-MJHT"
    step(place, "expired", text="The code has expired. Ask for a new one.")
    assert not place.shown("github_device_code")
    place.click("github_device_again")
    assert place.sink.kinds()[-1] == "sign_in_with_device"
    step(place, "code", **code)
    place.click("settings_close")
    assert place.sink.kinds()[-1] == "stop_sign_in"


def test_a_missing_keyring_is_told(place):
    assert not place.shown("github_keyring")
    place.apply(GitHubChanged(accounts=(NONE,), keyring_problem="This system has no keyring."))
    assert place.text("github_keyring") == "This system has no keyring."


def test_a_host_is_added_changed_and_removed(place):
    place.click("github_add")
    place.click("github_new_add")
    assert place.text("github_new_host_problem").startswith("Write the host")
    place.write("github_new_host", "GHE.example")
    place.click("github_new_add")
    sent = place.sink.sent[-1]
    assert (sent.type, sent.host) == ("save_github_host", "ghe.example")
    failed = CommandFailed(command_id=sent.command_id, code="github_address", text="http is allowed here only.")
    place.apply(failed)
    assert place.text("github_new_address_problem") == "http is allowed here only."
    place.click("github_new_add")
    place.apply(SettingsChanged(settings=Settings(github=(GITHUB, GitHubHost(host="ghe.example")))))
    assert not place.shown("github_new")
    card = place.card("ghe.example")
    place.write("github_address", "http://ghe.example", card)
    sent = place.sink.sent[-1]
    assert (sent.type, sent.api_url) == ("save_github_host", "http://ghe.example")
    place.apply(CommandFailed(command_id=sent.command_id, code="github_address", text="Use https."))
    assert place.text("github_address_problem", card) == "Use https."
    place.click("github_remove", card)
    place.click("github_remove_go")
    assert place.sink.kinds()[-1] == "remove_github_host"
    place.apply(SettingsChanged(settings=Settings()))
    assert not any(w.property("item_id") == "ghe.example" for w in place.dialog.findChildren(type(card)))

"""The page of secrets: what is kept, which commands hold one, removing and stopping."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtWidgets import QLineEdit, QListWidget

from desktop.domain.commands import Interrupt, StopShell
from desktop.domain.credentials.commands import EditCredential, LoadCredentials, RevokeCredential
from desktop.domain.credentials.updates import CredentialsChanged, Holder
from desktop.domain.credentials.values import Credential
from desktop.domain.updates import CommandFailed, ShellsChanged
from desktop.ui.settings.secrets.words import secret_facts
from tests.ui.settings_place import Place
from tests.ui.shell_samples import NOW

TOKEN = Credential(
    id="sec_0123456789ab", provider="npm", label="Publish", names=("NPM_TOKEN",), made_at=NOW, place="keyring",
    kept="removed", uses=2, last_used_at=NOW, project_path="/srv/shop", made_by="Publish it",
)  # fmt: skip
OTHER = Credential(id="sec_ba9876543210", provider="Shop", made_at=NOW)
SHELL = Holder(TOKEN.id, "ses_1", "sh1", "npm start")
FRONT = Holder("sec_000000000000", "ses_2", "", "make deploy")


@pytest.fixture
def place(qtbot):
    place = Place(qtbot, "secrets")
    place.apply(CredentialsChanged(credentials=(TOKEN, OTHER), holders=(SHELL, FRONT), keyring_problem="No keyring."))
    return place


@pytest.fixture
def in_berlin(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def rows(place):
    listed = place.get("settings_secrets_list", QListWidget)
    return [listed.item(at).text().strip() for at in range(listed.count())]


def choose(place, row):
    place.get("settings_secrets_list", QListWidget).setCurrentRow(row)


def sent(place, kind):
    return [one for one in place.sink.sent if isinstance(one, kind)]


def test_secrets_are_listed_with_the_commands_that_hold_them_and_no_value(place):
    assert rows(place) == [
        "Publish (npm) · NPM_TOKEN",
        "runs with it: npm start",
        "Shop",
        "runs with it: make deploy",
    ]
    facts = place.text("settings_secrets_facts")
    for words in (
        "Agents name it secret:sec_0123456789ab.",
        "in the system keyring, until you remove it",
        "as NPM_TOKEN",
        "/srv/shop",
        "“Publish it”",
        "2 times",
    ):
        assert words in facts
    assert place.text("settings_secrets_keyring") == "No keyring."
    choose(place, 2)
    assert "in memory, until Banksman closes." in place.text("settings_secrets_facts")
    assert "Never used." in place.text("settings_secrets_facts")


def test_until_when_a_secret_is_kept_is_said_in_local_time(in_berlin):
    ends = datetime(2026, 11, 24, 23, 30, tzinfo=UTC)
    facts = secret_facts(TOKEN.model_copy(update={"expires_at": ends}), ends - timedelta(days=3))
    assert "until 25 Nov 2026 00:30." in facts


@pytest.mark.promise("memory-CR7")
def test_a_secret_is_removed_after_asking_and_what_holds_it_is_told(place):
    place.click("settings_secrets_act")
    dialog = place.get("settings_secret_dialog")
    assert "1 command that runs now still has it" in dialog.text.text()
    place.click("settings_secret_go")
    assert [one.secret_id for one in sent(place, RevokeCredential)] == [TOKEN.id]
    place.apply(CredentialsChanged(credentials=(OTHER,), holders=(SHELL,)))
    assert rows(place) == ["Shop", "runs with it: npm start"]
    choose(place, 1)
    assert "It is removed." in place.text("settings_secrets_facts")


def test_a_command_that_holds_one_is_stopped_where_it_runs(place):
    choose(place, 1)
    place.click("settings_secrets_act")
    assert [(one.session_id, one.shell_id) for one in sent(place, StopShell)] == [("ses_1", "sh1")]
    choose(place, 3)
    place.click("settings_secrets_act")
    assert [one.session_id for one in sent(place, Interrupt)] == ["ses_2"]


def test_the_list_is_asked_for_again_when_commands_begin_or_end_and_a_refusal_is_told(place):
    before = len(sent(place, LoadCredentials))
    place.apply(ShellsChanged(session_id="ses_1", shells=()))
    assert len(sent(place, LoadCredentials)) == before + 1
    place.apply(CommandFailed(command_id=sent(place, LoadCredentials)[-1].command_id, code="x", text="Not now."))
    assert place.text("settings_secrets_error") == "Not now."


def test_without_secrets_the_page_says_so(qtbot):
    place = Place(qtbot, "secrets")
    assert place.text("settings_secrets_facts") == "No agent has been given a secret."
    assert not place.shown("settings_secrets_act")


@pytest.mark.promise("memory-CR9")
def test_as_what_and_where_a_secret_may_go_is_changed_without_its_value(place):
    assert not place.shown("edit_secret")
    place.click("settings_secrets_edit")
    dialog = place.window.findChild(object, "edit_secret") or place.dialog
    assert place.get("edit_secret_names", QLineEdit, dialog).text() == "NPM_TOKEN"
    place.get("edit_secret_names", QLineEdit, dialog).setText("NPM_TOKEN OTHER NPM_TOKEN")
    place.get("edit_secret_hosts", QLineEdit, dialog).setText("registry.npmjs.org")
    place.get("edit_secret_save", root=dialog).click()
    (command,) = sent(place, EditCredential)
    assert (command.secret_id, command.names, command.hosts) == (
        TOKEN.id,
        ("NPM_TOKEN", "OTHER"),
        ("registry.npmjs.org",),
    )
    place.apply(CommandFailed(command_id=command.command_id, code="credential", text="It is gone."))
    assert place.text("lane_error", dialog) == "It is gone."
    place.get("edit_secret_save", root=dialog).click()
    again = sent(place, EditCredential)[-1]
    bound = TOKEN.model_copy(update={"bound": ("$BANKSMAN_SKILLS/deploy:token",)})
    place.apply(CredentialsChanged(credentials=(bound,), command_id=again.command_id))
    assert not dialog.isVisible()
    choose(place, 0)
    assert "The secret “token” of the skill in $BANKSMAN_SKILLS/deploy." in place.text("settings_secrets_facts")
    place.apply(CredentialsChanged(credentials=(), holders=(FRONT,)))
    assert not place.shown("settings_secrets_edit"), "a command that runs has nothing to change"

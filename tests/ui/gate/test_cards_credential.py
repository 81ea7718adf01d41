"""The card on which a person types a secret: it leaves in one command, and stays in no field."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from desktop.domain.credentials.commands import ChooseCredential, LookAtKeyring, StoreCredential
from desktop.domain.credentials.updates import KeyringLooked
from desktop.domain.gate.pending import CredentialRequest, KeptSecret
from desktop.domain.updates import CommandFailed
from tests.ui.card_scenes import Scene

LEFT = Qt.MouseButton.LeftButton
VALUE = "ghs_4Zt9QmB7\nsecond line"


@pytest.fixture
def scene(qtbot, tmp_path):
    scene = Scene(tmp_path)
    qtbot.addWidget(scene.window)
    with qtbot.waitExposed(scene.window):
        scene.window.show()
    request = CredentialRequest(
        call_id="call", provider="Shop", label="Deploy token", why="To deploy", names=("KEY",), tainted=(".env",)
    )
    scene.ask(request)
    return scene


def typed(scene, text=VALUE):
    field = scene.get("credential_field")
    QApplication.clipboard().setText(text)
    field.setFocus()
    field.paste()
    return field


def press(scene, name):
    scene.settle()
    QTest.mouseClick(scene.visible(name), LEFT)


def sent(scene, kind=StoreCredential):
    return [one for one in scene.sink.sent if isinstance(one, kind)]


@pytest.mark.promise("memory-CR1")
def test_what_is_pasted_leaves_whole_in_one_command_and_the_field_is_empty(scene):
    assert not scene.get("credential_store").isEnabled()
    field = typed(scene)
    assert field.echoMode() is QLineEdit.EchoMode.Password
    scene.get("credential_hosts").setText("api.shop.example  .example.org")
    press(scene, "credential_kept_day")
    press(scene, "credential_store")
    (command,) = sent(scene)
    assert command.hosts == ("api.shop.example", ".example.org")
    assert command.value.get_secret_value() == VALUE
    assert (command.provider, command.names, command.kept) == ("Shop", ("KEY",), "day")
    assert "ghs_" not in repr(command)
    assert field.text() == ""
    assert not scene.get("credential_store").isEnabled(), "one command is under way"


def test_a_refused_secret_is_typed_again(scene):
    typed(scene)
    press(scene, "credential_store")
    (command,) = sent(scene)
    failed = CommandFailed(command_id=command.command_id, code="credential", text="The keyring said no.")
    scene.hear([failed])
    assert scene.get("credential_error").text() == "The keyring said no."
    typed(scene)
    press(scene, "credential_store")
    assert len(sent(scene)) == 2


def test_what_cannot_be_kept_is_said_on_the_card(scene):
    typed(scene, "short")
    press(scene, "credential_store")
    assert "at least 8 characters" in scene.get("credential_hint").text()
    scene.get("credential_names").setText("KEY LD_PRELOAD")
    typed(scene)
    press(scene, "credential_store")
    assert "never given as LD_PRELOAD" in scene.get("credential_hint").text()
    assert sent(scene) == []


def test_the_card_says_what_the_chat_has_read_and_where_there_is_no_keyring(scene, qtbot):
    assert "has read .env" in scene.get("credential_taint").text()
    qtbot.waitUntil(lambda: bool(sent(scene, LookAtKeyring)))
    (asked,) = sent(scene, LookAtKeyring)
    scene.hear(
        [
            KeyringLooked(
                input_id=asked.input_id,
                command_id=asked.command_id,
                problem="This system has no keyring. The key is kept until Banksman closes.",
            )
        ]
    )
    told = scene.get("credential_place").text()
    assert told == "This system has no keyring. The secret is kept until Banksman closes."
    assert scene.get("credential_kept_closed").isEnabled()
    assert scene.get("credential_kept_month").toolTip() == "Without a keyring it is kept until Banksman closes."


def test_the_field_is_emptied_when_the_card_goes(scene):
    field = typed(scene)
    scene.get("credential_card").hide()
    assert field.text() == ""


def test_declining_sends_no_secret(scene):
    typed(scene)
    press(scene, "credential_decline")
    press(scene, "credential_decline_confirm")
    assert scene.sink.answers[-1].answer.outcome == "reject"
    assert sent(scene) == []


@pytest.mark.promise("memory-CR9")
def test_a_secret_that_is_kept_is_chosen_for_a_skill_by_keys_without_typing_one(qtbot, tmp_path):
    scene = Scene(tmp_path)
    qtbot.addWidget(scene.window)
    with qtbot.waitExposed(scene.window):
        scene.window.show()
    kept = KeptSecret(secret_id="sec_0123456789ab", title="Publish\u202e (npm)")
    wants = {"skill": "deploy", "secret": "token", "names": ("KEY",), "kept": (kept,)}
    scene.ask(CredentialRequest(call_id="call", provider="npm", **wants))
    assert "deploy wants its secret “token”, as KEY" in scene.get("credential_skill").text()
    choice = scene.visible("credential_choice")
    assert "\u202e" not in choice.itemText(1)
    typed(scene)
    choice.setFocus()
    QTest.keyClick(choice, Qt.Key.Key_Down)
    assert scene.get("credential_field").text() == ""
    assert not scene.get("credential_field").isVisible()
    assert scene.get("credential_store").text() == "Use this secret"
    press(scene, "credential_store")
    (command,) = sent(scene, ChooseCredential)
    assert (command.secret_id, sent(scene)) == ("sec_0123456789ab", [])
    problem = "There is no such secret any more. Look at the list again."
    scene.hear([CommandFailed(command_id=command.command_id, code="credential", text=problem)])
    assert scene.get("credential_error").text() == problem


def test_the_card_says_who_asks_for_what_and_that_each_use_asks_and_offers_four_times(scene):
    assert scene.get("credential_label").text() == "Deploy token"
    assert scene.get("credential_why").text() == "Agent: To deploy"
    said = scene.get("credential_use").text()
    assert "never its value" in said
    assert "a command that is given it can pass it on" in said
    names = ("closed", "day", "month", "removed")
    assert [scene.get(f"credential_kept_{name}").isChecked() for name in names] == [True, False, False, False]
    for name in names:
        press(scene, f"credential_kept_{name}")
        assert scene.get(f"credential_kept_{name}").isChecked()
    scene.get("credential_provider").setText("Shop 2")
    scene.get("credential_names").setText("OTHER")
    typed(scene)
    press(scene, "credential_store")
    (command,) = sent(scene)
    assert (command.kept, command.provider, command.names, command.hosts) == ("removed", "Shop 2", ("OTHER",), ())

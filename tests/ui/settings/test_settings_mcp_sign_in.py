"""Signing in to a server from its page: what is shown before the browser opens, and what comes of it."""

import pytest
from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDialog, QLineEdit, QPlainTextEdit, QPushButton

from desktop.domain.mcp.commands import AuthoriseMcpServer, CancelMcpSignIn, SignOutOfMcpServer
from desktop.domain.mcp.updates import McpServerRow, McpServersListed, McpSignInEnded, McpSignInWaits
from desktop.domain.updates import CommandFailed
from tests.ui.mcp_samples import server
from tests.ui.settings_place import Place

ADDRESS = "https://login.example.org/authorize?client_id=x&state=" + "s" * 200
WANTED = McpServerRow(
    server=server("tracker", command=(), url="https://tracker.example/mcp", env=()), state="waiting", sha256="a" * 64,
    accepted=True, signs_in=True, why="It wants you to sign in.",
)  # fmt: skip


class Opened(QObject):
    """What a click opened, in place of the browser."""

    def __init__(self):
        super().__init__()
        self.addresses = []

    @Slot(QUrl)
    def take(self, url):
        self.addresses.append(url.toString())


@pytest.fixture
def place(qtbot):
    place = Place(qtbot, "mcp")
    place.apply(McpServersListed(servers=(WANTED,), command_id=place.sink.sent[-1].command_id))
    return place


@pytest.fixture
def dialog(place):
    place.click("settings_mcp_waiting_tracker_look")
    return next(w for w in place.window.findChildren(QDialog, "mcp_sign_in_dialog") if w.isVisible())


def reply(place, kind, **more):
    begun = [one for one in place.sink.sent if isinstance(one, AuthoriseMcpServer)][-1]
    place.apply(kind(command_id=begun.command_id, **more))


def waits(place, **more):
    values = {"address": ADDRESS, "authority": "https://login.example.org", "resource": "https://tracker.example/mcp"}
    reply(place, McpSignInWaits, server_id="tracker", **{**values, **more})


@pytest.mark.promise("guests-M30")
def test_another_host_than_that_of_the_page_is_named_before_the_browser_opens(place, dialog):
    waits(place)
    assert not [one for one in facts(place, dialog) if "goes to" in one]
    waits(place, sent_to="collects.example")
    assert "What you are given goes to collects.example, not to the page that you will see." in facts(place, dialog)


def facts(place, dialog):
    return [one.accessibleName() or one.text() for one in place.get("mcp_sign_in_facts", root=dialog).findChildren(
        type(place.get("mcp_sign_in_words", root=dialog))) if one.text()]  # fmt: skip


@pytest.mark.promise("guests-M30")
def test_nothing_opens_before_the_person_saw_the_whole_address_and_clicked(place, dialog, qtbot):
    assert place.text("mcp_sign_in_words", dialog) == "Asking the server where people sign in…"
    assert not place.shown("mcp_sign_in_open", dialog)
    opened = Opened()
    QDesktopServices.setUrlHandler("https", opened, "take")
    try:
        waits(place, scopes=("read", "write\u202e"))
        assert place.get("mcp_sign_in_address", QPlainTextEdit, dialog).toPlainText() == ADDRESS
        assert opened.addresses == []
        said = "\n".join(facts(place, dialog))
        assert "https://login.example.org" in said
        assert "https://tracker.example/mcp" in said
        assert "read, write" in said
        assert "\u202e" not in said
        place.click("mcp_sign_in_open", dialog)
        qtbot.waitUntil(lambda: opened.addresses == [QUrl(ADDRESS).toString()])
    finally:
        QDesktopServices.unsetUrlHandler("https")
    assert "Go on in your browser" in place.text("mcp_sign_in_words", dialog)


def test_it_closes_once_the_person_is_signed_in(place, dialog):
    waits(place)
    reply(place, McpSignInEnded, server_id="tracker")
    assert dialog.result() == QDialog.DialogCode.Accepted
    assert not [one for one in place.sink.sent if isinstance(one, CancelMcpSignIn)]


def test_the_address_can_be_copied(place, dialog):
    waits(place)
    place.click("mcp_sign_in_copy", dialog)
    assert QGuiApplication.clipboard().text() == ADDRESS


def test_closing_it_ends_the_sign_in(place, dialog):
    waits(place)
    place.click("mcp_sign_in_cancel", dialog)
    assert place.sink.sent[-1] == CancelMcpSignIn(server_id="tracker", command_id=place.sink.sent[-1].command_id)


def test_a_failed_sign_in_says_why_and_can_be_tried_again(place, dialog):
    waits(place)
    reply(place, McpSignInEnded, server_id="tracker", problem="Nobody signed in within 5 minutes.\u202e")
    assert place.text("mcp_sign_in_problem", dialog).startswith("Nobody signed in within 5 minutes.")
    assert not place.shown("mcp_sign_in_open", dialog)
    place.click("mcp_sign_in_again", dialog)
    assert len([one for one in place.sink.sent if isinstance(one, AuthoriseMcpServer)]) == 2
    begun = place.sink.sent[-1]
    place.apply(CommandFailed(command_id=begun.command_id, code="mcp", text="It is not there."))
    assert place.text("mcp_sign_in_problem", dialog) == "It is not there."


def test_an_id_is_asked_for_where_programs_are_not_registered(place, dialog):
    back = "http://127.0.0.1/signed-in/ab12"
    reply(place, McpSignInEnded, server_id="tracker", problem="Type its id.", needs_client=True, returns_to=back)
    assert place.get("mcp_sign_in_address", QPlainTextEdit, dialog).toPlainText() == back
    assert not place.get("mcp_sign_in_open", QPushButton, dialog).isVisible()
    assert place.text("mcp_sign_in_words", dialog).startswith("Type its id. Register a program there")
    assert place.get("mcp_sign_in_again", QPushButton, dialog).text() == "Go on"
    assert place.text("mcp_sign_in_problem", dialog) == "", "it is no fault"
    place.click("mcp_sign_in_copy", dialog)
    assert QGuiApplication.clipboard().text() == back
    place.get("mcp_sign_in_secret", QLineEdit, dialog).setText("hush")
    place.write("mcp_sign_in_client", "my-program", dialog)
    sent = place.sink.sent[-1]
    assert isinstance(sent, AuthoriseMcpServer)
    assert sent.client_id == "my-program"
    assert sent.client_secret is not None
    assert sent.client_secret.get_secret_value() == "hush"
    assert "hush" not in repr(sent)
    assert place.get("mcp_sign_in_secret", QLineEdit, dialog).text() == ""


def test_the_page_offers_signing_in_and_out(place):
    assert "wants you to sign in" in place.text("settings_mcp_waiting_tracker_title")
    assert place.get("settings_mcp_sign_in", QPushButton).isVisible()
    assert not place.shown("settings_mcp_sign_out")
    done = type(WANTED)(**{**vars(WANTED), "state": "ready", "signs_in": False, "signed_in": True})
    place.apply(McpServersListed(servers=(done,)))
    assert not place.shown("settings_mcp_sign_in")
    place.click("settings_mcp_sign_out")
    assert isinstance(place.sink.sent[-1], SignOutOfMcpServer)

"""The card of a call to a server: its title names server and tool, and a rule for the tool is one click."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from desktop.domain.core.content import Card, CodeBlock
from desktop.domain.core.permissions import Category
from desktop.domain.gate.pending import Answer, GrantOffer
from desktop.ui.gate.cards.wording import title_of
from tests.ui.card_requests import request
from tests.ui.card_scenes import Scene, resolved

CALLS = "tracker › create_issue with any arguments, as the server describes it now"
GRANTS = (
    GrantOffer(scope="once", covers="Exactly this call, once."),
    GrantOffer(scope="session", covers=f"{CALLS}, until this chat is closed."),
    GrantOffer(scope="project", covers=f"{CALLS}, in every chat of this project, until you remove the rule."),
)
VALUES = {"category": Category.BASH, "subject": "mcp", "rule": "mode", "grants": GRANTS}


def card(text='title: "Rounding"', title="tracker › create_issue"):
    return Card(title=title, blocks=(CodeBlock(language="text", text=text),))


@pytest.fixture
def scene(qtbot, tmp_path):
    scene = Scene(tmp_path, size=(760, 900))
    qtbot.addWidget(scene.window)
    with qtbot.waitActive(scene.window):
        scene.window.show()
        scene.window.activateWindow()
    scene.composer.setFocus()
    return scene


def test_the_title_names_server_and_tool_and_draws_what_is_hidden():
    assert title_of(request(card(), **VALUES), "a-lane").text == "Call tracker › create_issue?"
    assert "\u200b" not in title_of(request(card(title="tracker › cre\u200bate"), **VALUES), "").text


@pytest.mark.parametrize(
    ("button", "answer"),
    [
        ("approval_allow_once", Answer(outcome="allow_once")),
        ("approval_allow_session", Answer(outcome="allow_always", scope="session")),
        ("approval_allow_host", Answer(outcome="allow_always", scope="project")),
    ],
)
def test_a_tool_is_allowed_once_for_the_chat_or_for_the_project(scene, button, answer):
    scene.ask(request(card(), **VALUES))
    assert GRANTS[2].covers in scene.visible("approval_allow_host").accessibleDescription()
    scene.settle()
    QTest.mouseClick(scene.visible(button), Qt.MouseButton.LeftButton)
    scene.settle()
    assert scene.sink.answers[-1].answer == answer


def test_twenty_thousand_characters_are_all_reached_before_it_can_be_allowed(qtbot, scene):
    scene.ask(request(card("\n".join(f"line {n:05}" for n in range(2_000))), **VALUES))
    qtbot.waitUntil(lambda: scene.get("approval_show_all").isVisible())
    assert not scene.visible("approval_allow_once").isEnabled()
    assert "line 01999" in scene.visible("approval_evidence").toPlainText()


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize("name", ["approval_evidence", "interrupted_evidence"])
def test_a_card_says_how_large_arguments_are_in_the_language_also_when_it_was_interrupted(scene, name):
    scene.ask(request(card("note: 3,000 lines, 28,889 characters, shown below"), **VALUES))
    if name == "interrupted_evidence":
        scene.hear([resolved(2, "inp_1", Answer(outcome="cancelled"), reason="restart")])
    assert scene.get(name).toPlainText() == "note: 3.000 Zeilen, 28.889 Zeichen, unten gezeigt"

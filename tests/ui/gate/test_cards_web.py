"""The card of a page: its whole address, a look at where it leads, and the host for the chat or the project."""

import pytest
from PySide6.QtWidgets import QLabel

from desktop.domain.commands import PreviewEffect
from desktop.domain.core.content import Card, CodeBlock
from desktop.domain.core.permissions import Category
from desktop.domain.gate.effects import EffectPreview
from desktop.domain.gate.pending import Answer, GrantOffer
from desktop.domain.updates import EffectShown
from tests.ui.card_requests import request
from tests.ui.card_scenes import SESSION, Scene, press

URL = "https://docs.example.org/a?q=1"
GRANTS = (
    GrantOffer(scope="once", covers="Exactly this call, once."),
    GrantOffer(scope="session", covers="Every address of docs.example.org, until this chat is closed."),
    GrantOffer(scope="project", covers="Every address of docs.example.org, in this project.", host="docs.example.org"),
)


@pytest.fixture
def scene(qtbot, tmp_path):
    scene = Scene(tmp_path, size=(760, 900))
    qtbot.addWidget(scene.window)
    with qtbot.waitActive(scene.window):
        scene.window.show()
        scene.window.activateWindow()
    scene.composer.setFocus()
    card = Card(title=f"Fetch {URL}", blocks=(CodeBlock(language="text", text=f"GET {URL}"),))
    values = {"category": Category.READ, "rule": "net_host", "preview": EffectPreview(on_click=True), "grants": GRANTS}
    scene.ask(request(card, **values))
    return scene


def words(scene):
    return [label.text() for label in scene.get("approval_preview").findChildren(QLabel) if label.text()]


@pytest.mark.promise("guests-W6")
def test_nothing_is_looked_up_before_a_person_clicks_and_then_it_is_said(scene):
    assert scene.visible("approval_preview_run").text() == "Look it up"
    assert "Nothing was asked yet." in " ".join(words(scene))
    press(scene, "approval_preview_run")
    sent = scene.sink.sent[-1]
    assert isinstance(sent, PreviewEffect)
    assert "Looking it up…" in words(scene)
    warnings = ("docs.example.org leads to 93.184.216.34.", "The site asks programs not to read it.")
    found = EffectPreview(warnings=warnings)
    scene.hear([EffectShown(session_id=SESSION, input_id=sent.input_id, preview=found)])
    assert "docs.example.org leads to 93.184.216.34.\nThe site asks programs not to read it." in words(scene)


@pytest.mark.promise("tools-T90")
def test_where_a_name_leads_is_said_at_once_and_its_site_is_asked_on_a_click(scene):
    asked = "inp_1"
    found = EffectPreview(on_click=True, warnings=("docs.example.org leads to 93.184.216.34.",))
    scene.hear([EffectShown(session_id=SESSION, input_id=asked, preview=found)])
    assert words(scene) == [
        "docs.example.org leads to 93.184.216.34.",
        "The host was not asked yet. This asks it for its robots.txt.",
    ]
    assert scene.visible("approval_preview_run").text() == "Look it up"


@pytest.mark.promise("guests-W6")
@pytest.mark.parametrize(
    ("button", "answer"),
    [
        ("approval_allow_once", Answer(outcome="allow_once")),
        ("approval_allow_session", Answer(outcome="allow_always", scope="session")),
        ("approval_allow_host", Answer(outcome="allow_always", scope="project")),
    ],
)
def test_a_host_is_allowed_once_for_the_chat_or_for_the_project(scene, button, answer):
    assert scene.visible("approval_allow_session").text() == "Allow docs.example.org in this chat"
    assert GRANTS[2].covers in scene.visible("approval_allow_host").accessibleDescription()
    press(scene, button)
    assert scene.sink.answers[-1].answer == answer

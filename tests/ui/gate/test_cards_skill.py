"""The skill card: every file one click away, and an answer that binds what is shown."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget

from desktop.domain.gate.pending import Answer
from desktop.domain.skills.review import ReviewFile, SkillReview
from desktop.ui.gate.cards.kinds.skill import UNSEEN
from tests.ui.card_scenes import Scene

REVIEW = SkillReview(
    call_id="c",
    skill_id="notes",
    source="made of the lane x",
    sha256="a" * 64,
    files=(
        ReviewFile(path="SKILL.md", size=9, sha256="b" * 64, text="Write\u202enotes"),
        ReviewFile(path="go.sh", size=3, sha256="c" * 64, script=True, text="echo go"),
    ),
    marks=("It has scripts, which agents may run as commands: go.sh.",),
)


@pytest.fixture
def scene(qtbot, tmp_path):
    scene = Scene(tmp_path)
    qtbot.addWidget(scene.window)
    with qtbot.waitActive(scene.window):
        scene.window.show()
        scene.window.activateWindow()
    scene.ask(REVIEW)
    return scene


def test_files_are_one_click_away_and_the_skill_is_installed_by_its_button(scene, qtbot):
    assert scene.get("skill_title").text() == "Install the skill notes?"
    assert "\u202e" not in scene.get("skill_text").toPlainText()
    assert "SHA-256" in scene.get("skill_sha256").text()
    files = scene.get("skill_files")
    assert isinstance(files, QListWidget)
    files.setFocus()
    QTest.keyClick(files, Qt.Key.Key_Down)
    assert scene.get("skill_text").toPlainText() == "echo go"
    qtbot.waitUntil(lambda: scene.get("skill_install").isEnabled())
    _press(scene, "skill_install")
    assert scene.sink.answers[0].answer == Answer(outcome="allow_once")


def test_installing_waits_until_the_files_were_on_screen(qtbot, tmp_path):
    scene = Scene(tmp_path, size=(760, 420))
    qtbot.addWidget(scene.window)
    with qtbot.waitActive(scene.window):
        scene.window.show()
        scene.window.activateWindow()
    marks = tuple(f"It asks for secrets: NUMBER_{n}." for n in range(30))
    scene.ask(REVIEW.model_copy(update={"marks": marks}))
    qtbot.waitUntil(lambda: scene.get("skill_hint").text() == UNSEEN)
    scene.settle()
    install = scene.get("skill_install")
    assert not install.isEnabled()
    bar = scene.visible("skill_card").body.verticalScrollBar()
    bar.setValue(bar.maximum())
    qtbot.waitUntil(install.isEnabled)
    assert scene.get("skill_hint").text() == ""


def test_a_skill_is_declined_with_a_reason(scene):
    _press(scene, "skill_decline")
    QTest.keyClicks(scene.visible("skill_decline_reason"), "not now")
    _press(scene, "skill_decline_confirm")
    assert scene.sink.answers[0].answer == Answer(outcome="reject", note="not now")


def _press(scene, name):
    scene.settle()
    QTest.mouseClick(scene.visible(name), Qt.MouseButton.LeftButton)

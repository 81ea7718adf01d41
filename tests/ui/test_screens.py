"""The command that takes pictures of the window: three scenes with their checks, and that the checks find faults."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QLabel, QMainWindow, QPushButton, QVBoxLayout, QWidget

from desktop.ui.theme.theme import theme
from desktop.ui.widgets.buttons.off import set_off
from tests.screens import picture

ROOT = Path(__file__).resolve().parents[2]
SCENES = ("chat_empty", "card_plan", "archived_chat")


@pytest.mark.timeout(180)
def test_three_scenes_are_taken_and_pass_their_checks(tmp_path):
    command = [sys.executable, "-m", "tests.screens", "--out", str(tmp_path), "--theme", "dark", "--size", "1360x840"]
    done = subprocess.run([*command, "--only", *SCENES], cwd=ROOT, capture_output=True, text=True, timeout=170)
    assert done.returncode == 0, done.stdout + done.stderr
    taken = json.loads((tmp_path / "manifest.json").read_text())
    names = {"03-chat-empty", "19-card-plan", "19-card-plan-edit", "19-card-plan-edited", "35-chat-archived"}
    assert {one["file"] for one in taken} == {f"dark/1360x840/{name}.png" for name in names}
    assert names <= {part.strip() for part in (tmp_path / "index.html").read_text().replace("<", ">").split(">")}


@pytest.fixture
def window(qtbot):
    window = QMainWindow()
    window.setObjectName("main_window")
    window.resize(400, 300)
    body = QWidget(window)
    body.setObjectName("body")
    QVBoxLayout(body)
    window.setCentralWidget(body)
    qtbot.addWidget(window)
    window.show()
    return window


def problems(window):
    image = QImage(400, 300, QImage.Format.Format_RGB32)
    image.fill(theme().color("canvas"))
    return picture.problems(image, window, (400, 300))


def test_a_picture_of_one_colour_or_of_another_size_is_found(window):
    assert problems(window) == ["has only 1 colours"]
    assert picture.problems(picture.take(window), window, (500, 300))[0] == "is 400x300, not 500x300"


@pytest.mark.parametrize("width", [1, 2, 3, 401])
def test_a_picture_is_read_back_as_it_was(width):
    image = QImage(width, 7, QImage.Format.Format_RGB32)
    for at in range(width * 7):
        image.setPixelColor(at % width, at // width, QColor(at % 256, at * 7 % 256, at * 31 % 256))
    back = QImage.fromData(picture.png(image), "png")
    assert back.convertToFormat(QImage.Format.Format_RGB32) == image


@pytest.mark.parametrize("kind", [QLabel, QPushButton])
def test_text_that_is_cut_is_found_and_named(window, kind):
    widget = kind("A text that does not fit in so little room", window.centralWidget())
    widget.setObjectName("narrow")
    widget.setFixedWidth(60)
    widget.show()
    assert [text for text in problems(window) if "body/narrow" in text and "width" in text]


def test_a_widget_that_reaches_outside_the_window_is_found(window):
    widget = QWidget(window.centralWidget())
    widget.setObjectName("stray")
    widget.setGeometry(350, 10, 100, 20)
    widget.show()
    assert [text for text in problems(window) if "body/stray" in text and "outside" in text]


def test_a_button_that_is_off_without_a_reason_is_found(window):
    button, inside = QPushButton("Go", window.centralWidget()), QWidget(window.centralWidget())
    button.setObjectName("grey")
    button.setEnabled(False)
    within = QPushButton("On", inside)
    set_off(inside, "Nothing is open.")
    button.show()
    within.show()
    inside.show()
    assert [text for text in problems(window) if "off" in text] == [
        "main_window/body/grey (QPushButton 'Go'): is off and does not say why"
    ]
    set_off(button, "Choose one.")
    assert not [text for text in problems(window) if "off" in text]

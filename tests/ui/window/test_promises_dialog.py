"""Help, what Banksman promises: the shipped promises by area, a filter, and what is said when there are none."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QTextEdit
from pytestqt.qtbot import QtBot

from desktop.config.promises import Promise, promises
from desktop.ui.text.markdown import prose_document
from desktop.ui.theme.theme import theme
from desktop.ui.window.dialogs.promises import PromisesDialog
from desktop.ui.window.main_window import MainWindow
from tests.ui.shell_samples import Recorder, find, make_window


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    window = make_window(tmp_path, Recorder())
    qtbot.addWidget(window)
    window.resize(1024, 700)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    yield window
    theme().choose("light")


@pytest.fixture
def dialog(qtbot: QtBot, window: MainWindow) -> PromisesDialog:
    """The dialog, opened by its entry of the palette."""
    action = window.findChild(QAction, "action_promises")
    assert action is not None
    assert action.isEnabled()
    action.trigger()
    dialog = window.findChild(PromisesDialog)
    assert dialog is not None
    qtbot.waitUntil(dialog.isVisible)
    return dialog


def shown(dialog: PromisesDialog) -> str:
    text = find(dialog, "promises_text")
    assert isinstance(text, QTextEdit)
    return text.toPlainText()


def said(dialog: PromisesDialog) -> str:
    label = find(dialog, "promises_said")
    assert isinstance(label, QLabel)
    return label.text()


def filtered(dialog: PromisesDialog, words: str) -> str:
    field = find(dialog, "promises_filter")
    assert isinstance(field, QLineEdit)
    field.clear()
    QTest.keyClicks(field, words)
    return shown(dialog)


def blocks(document: QTextDocument) -> list[tuple[str, int, float, float, bool]]:
    """Each block with what tells how it looks."""
    found, block = [], document.begin()
    while block.isValid():
        shape = block.blockFormat()
        inside = block.textList() is not None
        found.append((block.text(), shape.headingLevel(), shape.topMargin(), shape.bottomMargin(), inside))
        block = block.next()
    return found


def test_the_first_promises_are_there_at_once_and_the_rest_as_if_all_were_written_together(
    qtbot: QtBot, window: MainWindow
) -> None:
    dialog = PromisesDialog(window)
    known = promises()
    assert 20 < shown(dialog).count("(") < len(known)
    dialog.open()
    qtbot.waitUntil(lambda: f"({known[-1].id}, " in shown(dialog))
    together = prose_document(markdown_of(known))
    assert blocks(dialog.text.document()) == blocks(together)


def markdown_of(known: Sequence[Promise]) -> str:
    """All of them, area by area."""
    text = ""
    for area in dict.fromkeys(one.area for one in known):
        text += f"\n\n### {area}\n\n"
        text += "\n".join(
            f"- {one.sentence} *({one.id}, {one.tests} {'test' if one.tests == 1 else 'tests'})*"
            for one in known
            if one.area == area
        )
    return text


def test_every_promise_is_shown_under_its_area_with_the_number_of_its_tests(
    qtbot: QtBot, dialog: PromisesDialog
) -> None:
    known = promises()
    qtbot.waitUntil(lambda: f"({known[-1].id}, " in shown(dialog))
    text = shown(dialog)
    assert said(dialog).startswith(f"{len(known)} promises.")
    assert all(f"\n{area}\n" in f"\n{text}" for area in {one.area for one in known})
    assert text.count("test)") + text.count("tests)") == len(known)
    one = next(promise for promise in known if promise.id == "gate-P3")
    assert f"({one.id}, {one.tests} tests)" in text
    assert "**" not in text


def test_the_filter_leaves_what_has_all_of_its_words(dialog: PromisesDialog) -> None:
    assert "(gate-P3, " in filtered(dialog, "GATE-P3")
    assert said(dialog).startswith(f"1 of {len(promises())} promises.")
    text = filtered(dialog, "secret sandbox")
    wanted = {
        one.id for one in promises() if all(w in f"{one.area} {one.sentence}".casefold() for w in ("secret", "sandbox"))
    }
    assert wanted
    assert {one.id for one in promises() if f"({one.id}," in text} == wanted
    assert filtered(dialog, "nothing is like this") == ""
    assert said(dialog).startswith("0 of")


def test_another_theme_keeps_the_filter_and_escape_closes(qtbot: QtBot, dialog: PromisesDialog) -> None:
    before = filtered(dialog, "gate-P3")
    theme().choose("dark")
    assert shown(dialog) == before
    with qtbot.waitSignal(dialog.finished):
        QTest.keyClick(dialog, Qt.Key.Key_Escape)


def test_a_page_that_is_missing_is_said(window: MainWindow, tmp_path: Path) -> None:
    dialog = PromisesDialog(window, tmp_path / "promises.md")
    dialog.open()
    assert "cannot be read" in said(dialog)
    assert shown(dialog) == ""

"""Help: the guide with its pictures, and every key that the window has."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QAction, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget
from pytestqt.qtbot import QtBot

from desktop.config.folders import resource_folder
from desktop.language import wear
from desktop.ui.chats.composer.slash_commands import TABLE
from desktop.ui.core.actions import ACTIONS
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import PAGE
from desktop.ui.window.dialogs.help import CARD_KEYS, GuideText, HelpDialog, keys_page
from desktop.ui.window.main_window import MainWindow
from tests.ui.shell_samples import Recorder, find, make_window

GUIDE = resource_folder() / "guide"


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


def opened(qtbot: QtBot, window: MainWindow, action_id: str) -> HelpDialog:
    action = window.findChild(QAction, f"action_{action_id}")
    assert action is not None
    action.trigger()
    dialog = window.findChild(HelpDialog)
    assert dialog is not None
    qtbot.waitUntil(dialog.isVisible)
    return dialog


def shown(dialog: HelpDialog) -> str:
    text = find(dialog, "help_text")
    assert isinstance(text, GuideText)
    return text.toPlainText()


def test_f1_lists_every_key_of_the_window(qtbot: QtBot, window: MainWindow) -> None:
    text = shown(opened(qtbot, window, "shortcuts"))
    for spec in ACTIONS:
        if spec.keys and spec.in_palette:
            assert spec.title.removesuffix("…") in text
            assert spec.key_text in text
    for title, _ in CARD_KEYS:
        assert title in text
    for command in TABLE:
        assert f"/{command.name}" in text


def test_the_guide_shows_its_pictures_as_wide_as_there_is_room(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened(qtbot, window, "guide")
    assert "Your first approved change" in shown(dialog)
    for theme_name in ("light", "dark"):
        theme().choose(theme_name)
        for name in ("start.png", "card.png", "changes.png"):
            picture = dialog.text.document().resource(QTextDocument.ResourceType.ImageResource.value, QUrl(name))
            assert 200 < picture.deviceIndependentSize().width() <= dialog.text.viewport().width()


def test_nothing_but_pictures_of_the_guide_is_loaded(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened(qtbot, window, "guide")
    document = dialog.text.document()
    assert document.resource(QTextDocument.ResourceType.StyleSheetResource.value, QUrl("x.css")) is None
    assert document.resource(QTextDocument.ResourceType.ImageResource.value, QUrl("file:///etc/passwd")) is None
    assert dialog.text.picture("/etc/passwd").isNull()


def test_a_page_looks_the_same_after_another_one_was_read(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened(qtbot, window, "guide")
    before = looks(dialog)
    assert (theme().font(PAGE).pixelSize(), "Your first approved change") in before
    dialog.show_page("keys")
    dialog.show_page("guide")
    assert looks(dialog) == before


def looks(dialog: HelpDialog) -> list[tuple[int, str]]:
    """How large each paragraph of the page is, and the paragraph."""
    found, block = list[tuple[int, str]](), dialog.text.document().begin()
    while block.isValid():
        pieces = block.begin()
        size = 0 if pieces.atEnd() else pieces.fragment().charFormat().font().pixelSize()
        found.append((size, block.text()))
        block = block.next()
    return found


def test_pages_are_chosen_by_keys(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened(qtbot, window, "guide")
    pages = find(dialog, "help_pages")
    assert isinstance(pages, QListWidget)
    pages.setFocus()
    QTest.keyClick(pages, "K")
    assert "In the window" in shown(dialog)


def test_a_guide_that_is_gone_says_so(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    dialog = HelpDialog((), window, tmp_path)
    dialog.show_page("guide")
    assert shown(dialog) == "The guide cannot be read. Install Banksman again."
    dialog.close()


@pytest.mark.parametrize(("code", "title"), [("de", "Ihre erste freigegebene Änderung"), ("xx", "Your first")])
def test_the_guide_is_in_the_language_of_the_window(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, code: str, title: str
) -> None:
    (tmp_path / code).mkdir()
    wear(code, tmp_path)
    try:
        assert title in shown(opened(qtbot, window, "guide"))
    finally:
        wear("en", tmp_path)


@pytest.mark.parametrize("guide", sorted(GUIDE.glob("*.md")), ids=lambda guide: guide.stem)
def test_every_picture_that_a_guide_names_is_there_in_both_themes(guide: Path) -> None:
    text = guide.read_text("utf-8")
    named = {part.partition(")")[0] for part in text.split("](")[1:]}
    assert {name for name in named if not (GUIDE / name).is_file()} == set()
    assert {name for name in named if not (GUIDE / name).with_stem(f"{Path(name).stem}-dark").is_file()} == set()


def test_the_tables_hold_no_empty_cell() -> None:
    assert all("| |" not in line and "||" not in line for line in keys_page(ACTIONS).splitlines())

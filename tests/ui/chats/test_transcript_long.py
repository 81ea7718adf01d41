"""Long texts of an answer: laid out a part at a time, whole in the end, and never made anew as a whole."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.chats.transcript.painting import blocks as painted
from desktop.ui.chats.transcript.painting.row_layout import RowLayout
from desktop.ui.chats.transcript.painting.text_piece import DocumentPiece
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.text.markdown import LONGEST_BLOCK, MarkdownBlocks, shown_text
from tests.ui.transcript_log import SESSION, START, Log, look

LINES = [f"- **line** {number} of a long list" for number in range(600)]
LIST, WORDS, WORD = "\n".join(LINES), " ".join(f"word{n}" for n in range(4_000)), "x" * 15_000
pytestmark = pytest.mark.promise("guests-A8")


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> Iterator[TranscriptView]:
    look(qapp)
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 800)
    made = TranscriptView(window, clock=lambda: START)
    made.resize(728, 700)
    made.open(SESSION)
    window.show()
    yield made
    window.hide()


def words(layout: RowLayout) -> str:
    return "\n".join(shown_text(one.document) for one in layout.pieces if isinstance(one, DocumentPiece))


@pytest.mark.parametrize("text", [LIST, WORDS, WORD, "```\n" + LIST + "\n```\nand out"])
def test_a_long_text_is_laid_out_in_parts_and_whole_in_the_end(view: TranscriptView, qtbot: QtBot, text: str) -> None:
    log = Log()
    log.user("go")
    log.says(text)
    view.hearing.take([log.opened()])
    first = view.layouts.layout_of(1)
    assert first.unfinished
    assert len(words(first)) < len(text) / 2
    qtbot.waitUntil(lambda: not view.layouts.layout_of(1).unfinished)
    signs = str.maketrans("", "", " \n•-*`")
    shown = words(view.layouts.layout_of(1)).translate(signs)
    if text.startswith("```"):
        assert "andout" in shown  # sixty lines of the code, and a button for the rest
    else:
        assert shown.startswith(text.translate(signs))  # and that it is long, once that was found


def test_what_stands_is_not_made_again_while_more_is_written(
    view: TranscriptView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    prose: Callable[..., object] = painted.prose_document
    monkeypatch.setattr(painted, "prose_document", lambda text, *rest: made.append(len(text)) or prose(text, *rest))
    log = Log()
    log.user("go")
    view.hearing.take([log.opened()])
    for start in range(0, len(LIST), 700):
        view.hearing.take([log.delta(LIST[start : start + 700])])
        view.viewport().repaint()
    qtbot.waitUntil(lambda: not view.layouts.layout_of(1).unfinished)
    assert max(made) <= 2 * LONGEST_BLOCK
    assert sum(made) < 4 * len(LIST)


@pytest.mark.parametrize("text", [LIST, WORDS, WORD, "> " + WORDS, "1. one\n2. two\n" + WORDS])
@pytest.mark.parametrize("step", [311, 5_000])
def test_a_long_block_is_several_and_nothing_of_it_is_lost(text: str, step: int) -> None:
    growing = MarkdownBlocks()
    for end in range(0, len(text), step):
        growing.update(text[:end])
    found = growing.update(text)
    assert len(found) > 1
    assert max(len(block.text) for block in found) <= 2 * LONGEST_BLOCK
    assert "".join("".join(block.text.split()) for block in found) == "".join(text.split())


def test_a_list_is_parted_between_its_items() -> None:
    for block in MarkdownBlocks().update("\n".join(f"- item {n}\n  goes on" for n in range(400))):
        assert block.text.startswith("- item")

"""Long texts of an answer: laid out a part at a time, whole in the end, and never made anew as a whole."""

from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.chats.transcript.painting import blocks as painted
from desktop.ui.chats.transcript.painting.blocks import MOST_WHILE_WRITTEN
from desktop.ui.chats.transcript.painting.markdown_blocks import LONGEST_BLOCK, LONGEST_TABLE, MarkdownBlocks
from desktop.ui.chats.transcript.painting.row_layout import RowLayout
from desktop.ui.chats.transcript.painting.text_piece import DocumentPiece
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.text.markdown import prose_document, shown_text
from desktop.ui.text.portions import portion_end, weight
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

    def counted(text: str, *rest: str, shift: int) -> object:
        made.append(weight(text))
        return prose(text, *rest, shift=shift)

    monkeypatch.setattr(painted, "prose_document", counted)
    log = Log()
    log.user("go")
    view.hearing.take([log.opened()])
    for start in range(0, len(LIST), 700):
        view.hearing.take([log.delta(LIST[start : start + 700])])
        view.viewport().repaint()
    qtbot.waitUntil(lambda: not view.layouts.layout_of(1).unfinished)
    assert max(made) <= LONGEST_BLOCK + MOST_WHILE_WRITTEN
    assert sum(made) < 4 * weight(LIST)


@pytest.mark.parametrize("text", [LIST, WORDS, WORD, "> " + WORDS, "1. one\n2. two\n" + WORDS])
@pytest.mark.parametrize("step", [311, 5_000])
def test_a_long_block_is_several_and_nothing_of_it_is_lost(text: str, step: int) -> None:
    growing = MarkdownBlocks()
    for end in range(0, len(text), step):
        growing.update(text[:end])
    found = growing.update(text)
    assert len(found) > 1
    assert max(weight(block.text) for block in found) <= LONGEST_BLOCK
    assert "".join("".join(block.text.split()) for block in found) == "".join(text.split())


def test_a_list_is_parted_between_its_items() -> None:
    for block in MarkdownBlocks().update("\n".join(f" - item {n}\n   goes on" for n in range(400))):
        assert block.text.startswith(" - item")


@pytest.mark.parametrize("numbers", ["{n}.", "1."])
def test_the_parts_of_a_long_list_look_as_one(view: TranscriptView, qtbot: QtBot, numbers: str) -> None:
    log = Log()
    log.user("go")
    log.says("\n".join(f"{numbers.format(n=n + 3)} `item` of a list" for n in range(120)).replace("1.", "3.", 1))
    view.hearing.take([log.opened()])
    qtbot.waitUntil(lambda: not view.layouts.layout_of(1).unfinished)
    layout = view.layouts.layout_of(1)
    assert [line.split()[0] for line in words(layout).split("\n")][:120] == [f"{n + 3}." for n in range(120)]
    parts = [one for one in layout.pieces if isinstance(one, DocumentPiece) and "item" in one.document.toPlainText()]
    assert len(parts) > 3
    inside = parts[0].document.firstBlock().blockFormat().bottomMargin()
    assert {after.y - before.y - before.height for before, after in pairwise(parts)} == {inside}


@pytest.mark.parametrize("text", [LIST, WORDS, WORD, "a\n" * 900, "*a* " * 900, "ä" * 4_000])
@pytest.mark.parametrize("start", [0, 7])
def test_a_portion_is_as_heavy_as_was_asked_for_and_ends_behind_a_line_if_it_can(text: str, start: int) -> None:
    end = portion_end(text, start, 2_000)
    assert 900 <= weight(text[start:end]) <= 2_050
    assert "\n" not in text[start:end] or text[end - 1] == "\n"
    assert portion_end(text, len(text) - 5, 2_000) == len(text)


HEAD = "| name | what it does |\n|---|:-:|\n"
ROWS = HEAD + "".join(f"| `row{n}` | it **does** {'more ' * (n % 5 * 9)}{n} |\n" for n in range(60))


@pytest.mark.parametrize("step", [9, 64, 700])
@pytest.mark.parametrize(
    "text",
    [
        ROWS,
        ROWS + "\nand out",
        ROWS + "| no bar\n| [link](https://example.org) | ![x](y.png) |",
        ROWS + "| one | two | three too many |\n",
        HEAD + "| 1 | 2 |\n| 3 | \u05d0\u05d1 |\n| 5 | \u05d2 |",
        HEAD + "| 1 | \u202e2 |\n| \u200b3 | &lt; |\n",
    ],
)
def test_a_table_that_grows_looks_as_one_that_was_made_at_once(
    view: TranscriptView, qtbot: QtBot, text: str, step: int
) -> None:
    log = Log()
    log.user("go")
    view.hearing.take([log.opened()])
    for start in range(0, len(text), step):
        view.hearing.take([log.delta(text[start : start + step])])
        view.viewport().repaint()
    qtbot.waitUntil(lambda: not view.layouts.layout_of(1).unfinished)
    pieces = [one for one in view.layouts.layout_of(1).pieces if isinstance(one, DocumentPiece)]
    for piece, block in zip(pieces, MarkdownBlocks().update(text), strict=True):
        whole = DocumentPiece(prose_document(block.text), piece.x, piece.width)
        assert piece.document.toHtml() == whole.document.toHtml()
        assert (piece.height, piece.gap) == (whole.height, whole.gap)


@pytest.mark.parametrize("step", [311, 5_000, 100_000])
def test_a_long_table_is_several_with_one_head_and_every_row_is_in_one(step: int) -> None:
    rows = [f"| row {n} | **{n}** |" for n in range(400)]
    text = "\n".join([HEAD.strip(), *rows, "", "and out"])
    growing = MarkdownBlocks()
    for end in range(0, len(text), step):
        growing.update(text[:end])
    *tables, last = growing.update(text)
    assert len(tables) > 2
    assert all(table.text.startswith(HEAD) for table in tables)
    assert max(weight(table.text.removeprefix(HEAD)) for table in tables) <= LONGEST_TABLE
    assert [row for table in tables for row in table.text.removeprefix(HEAD).split("\n")] == rows
    assert last.text == "and out"


def test_the_rows_of_a_growing_table_are_added_to_those_that_stand(
    view: TranscriptView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    prose: Callable[..., object] = painted.prose_document

    def counted(text: str, *rest: str, shift: int) -> object:
        made.append(text)
        return prose(text, *rest, shift=shift)

    monkeypatch.setattr(painted, "prose_document", counted)
    log = Log()
    log.user("go")
    view.hearing.take([log.opened()])
    for row in ROWS.splitlines(keepends=True):
        view.hearing.take([log.delta(row)])
        view.viewport().repaint()
    view.hearing.take([log.says(ROWS)])
    assert not view.model.rows[1].live
    qtbot.waitUntil(lambda: not view.layouts.layout_of(1).unfinished)
    shown = words(view.layouts.layout_of(1))
    assert [f"row{n} |" in shown for n in range(60)] == [True] * 60
    assert max(text.count("\n") for text in made) <= 3

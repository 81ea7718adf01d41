"""Messages, titles and questions of every script in the real window: painted and copied as they were written."""

import json
import re
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import QLabel, QWidget

from desktop.domain.core.content import TableBlock
from desktop.domain.gate.pending import Option, Question, QuestionRequest
from desktop.tools.builtin.ask_user import TOOL, AskUser
from desktop.ui.chats.transcript.painting.marks import mark_words
from desktop.ui.chats.transcript.painting.pieces import draw_text
from desktop.ui.chats.transcript.painting.text_piece import DocumentPiece
from desktop.ui.chats.transcript.selection import Position
from desktop.ui.chats.transcript.view import TranscriptView
from desktop.ui.gate.cards.option_row import AnswerOption
from desktop.ui.text.markdown import StillDocument, prose_document, shown_text
from desktop.ui.text.safe_text import without_isolates
from desktop.ui.theme.font_cover import FontCover, is_drawn
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.buttons.elided_button import ElidedButton
from tests.ui.card_scenes import Scene
from tests.ui.transcript_log import SESSION, Log, look

CASES = json.loads((Path(__file__).parents[2] / "cases" / "prose_cases.json").read_text("utf-8"))
ORDINARY = [pytest.param(case["text"], id=case["script"]) for case in CASES if case["kind"] == "ordinary"]
HEBREW = "הריצו `pip install -e .` ואז `--force`, בבקשה!"
RIGHT, LEFT = Qt.LayoutDirection.RightToLeft, Qt.LayoutDirection.LeftToRight


@pytest.fixture
def view(qtbot, qapp):
    look(qapp)
    window = QWidget()
    qtbot.addWidget(window)
    view = TranscriptView(window)
    view.resize(728, 500)
    view.open(SESSION)
    window.show()
    yield view
    window.hide()


def documents(view, row=0):
    return [piece for piece in view.layouts.layout_of(row).pieces if isinstance(piece, DocumentPiece)]


@pytest.mark.parametrize("text", ORDINARY)
def test_a_message_is_painted_and_copied_as_it_was_written(view, text):
    log = Log()
    log.says(text)
    view.hearing.take([log.opened()])
    (piece,) = documents(view)
    assert without_isolates(piece.document.toRawText()) == " ".join(text.split("\n"))
    number = view.layouts.layout_of(0).pieces.index(piece)
    view.selection.select_text(Position("row:0", number, 0), Position("row:0", number, 1 << 30))
    view.copy()
    assert QGuiApplication.clipboard().text() == " ".join(text.split("\n"))


@pytest.mark.parametrize("text", ORDINARY)
def test_what_a_person_wrote_is_painted_as_it_was_written(view, text):
    log = Log()
    log.user(text)
    view.hearing.take([log.opened()])
    (piece,) = documents(view)
    assert piece.document.toRawText().replace("\u2029", "\n") == text


@pytest.mark.parametrize("text", ORDINARY)
def test_a_question_is_painted_as_it_was_written(qtbot, tmp_path, text):
    scene = Scene(tmp_path)
    qtbot.addWidget(scene.window)
    scene.window.show()
    option = Option(label=text.split("\n")[0], value="a", description=text)
    scene.ask(QuestionRequest(call_id="c", title="Q", questions=(Question(id="q", text=text, options=(option,)),)))
    scene.settle()
    painted = [label.text() for label in scene.window.findChildren(QLabel)]
    assert painted.count(text) >= 2
    assert text.split("\n")[0] in painted
    scene.window.hide()


@pytest.mark.parametrize("text", ORDINARY)
def test_an_answered_question_is_painted_as_it_was_written_where_its_row_is_opened(view, text):
    log, line = Log(), " ".join(text.split())
    question = TOOL.card(AskUser(question=text))
    table = TableBlock(columns=("Question", "Answer"), rows=((line, line),), prose=True)
    log.call("c", question.title, evidence=question.blocks, category="read", blocks=(table,))
    view.hearing.take([log.opened()])
    view.expand_turn(view.model.rows[0].turn_id, opened=True)
    evidence, answers = documents(view)[:2]
    assert without_isolates(evidence.document.toRawText()).replace("\u2029", "\n") == text
    assert without_isolates(answers.document.toPlainText()).count(line) == 2


def test_paragraphs_begin_where_their_first_letter_says(qapp):
    look(qapp)
    document = prose_document(f"{HEBREW}\n\nFirst אחר.\n\n`pip` הוא כלי\n\n- [ ] שלום\n- [x] done")
    found, block = [], document.begin()
    while block.isValid():
        found.append(block.textDirection())
        block = block.next()
    assert found == [RIGHT, LEFT, RIGHT, RIGHT, LEFT]


def test_inline_code_keeps_its_order_in_a_line_that_runs_left(qapp):
    look(qapp)
    document = prose_document(HEBREW)
    DocumentPiece(document, 0, 700)
    text = document.toRawText()
    block = document.firstBlock()
    line = block.layout().lineAt(0)
    assert line.isValid()
    at = text.index("--force")
    places = [line.cursorToX(at + step)[0] for step in range(1, len("--force"))]
    assert places == sorted(places)
    assert shown_text(document) == HEBREW.replace("`", "")


def test_quotes_and_tables_begin_where_their_first_letter_says(view):
    log = Log()
    log.says("> שלום\n\n| שם | x |\n|---|---|\n| א | 1 |\n\n> left\n\n| x | שם |\n|---|---|\n| 1 | א |")
    view.hearing.take([log.opened()])
    quote, table, left_quote, left_table = documents(view)
    assert quote.text_rect.left() == quote.x
    assert left_quote.text_rect.left() > left_quote.x

    def side(piece):
        block = piece.document.findBlock(piece.document.toRawText().index("שם"))
        return piece.document.documentLayout().blockBoundingRect(block).center().x()

    assert side(table) > table.width / 2
    assert side(left_table) < left_table.width / 2


def test_options_and_titles_are_laid_out_as_they_are_read(qtbot, tmp_path):
    scene = Scene(tmp_path)
    qtbot.addWidget(scene.window)
    scene.window.show()
    options = (Option(label="פוסטגרס (PostgreSQL)", value="a"), Option(label="SQLite", value="b"))
    scene.ask(QuestionRequest(call_id="c", title="Q", questions=(Question(id="q", text="?", options=options),)))
    scene.settle()
    rows = scene.window.findChildren(AnswerOption)
    assert [row.layoutDirection() for row in rows][:2] == [RIGHT, LEFT]
    mark, words = rows[0].button, rows[0].findChild(QLabel)
    assert mark.mapTo(rows[0], mark.rect().center()).x() > words.mapTo(rows[0], words.rect().center()).x()
    scene.window.hide()
    title = ElidedButton("")
    qtbot.addWidget(title)
    title.resize(200, 30)
    title.set_full_text("שלום?", prose=True)
    asked = title.grab().toImage()
    assert title.full_text == "שלום?"
    title.set_full_text("שלום?")
    assert title.grab().toImage() != asked
    title.set_full_text("שלום-branch")
    assert title.text() == "שלום-branch"


def test_a_painted_line_has_its_sign_where_its_sentence_ends(qapp):
    look(qapp)

    def columns(text, direction):
        image = QImage(200, 40, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        painter.setFont(theme().font())
        painter.setLayoutDirection(LEFT)
        if direction:
            draw_text(painter, QRect(0, 0, 200, 40), text)
        else:
            painter.drawText(QRect(0, 0, 200, 40), Qt.AlignmentFlag.AlignVCenter, text)
        painter.end()
        return image

    assert columns("שלום!", direction=True) != columns("שלום!", direction=False)
    assert columns("hello!", direction=True) == columns("hello!", direction=False)
    assert columns("!", direction=False).copy(0, 0, 3, 40) == columns("שלום!", direction=True).copy(0, 0, 3, 40)


def test_copied_code_has_no_controls_of_direction(view):
    log = Log()
    log.says(HEBREW)
    view.hearing.take([log.opened()])
    (piece,) = documents(view)
    number = view.layouts.layout_of(0).pieces.index(piece)
    view.selection.select_text(Position("row:0", number, 0), Position("row:0", number, 1 << 30))
    assert view.selection.text() == HEBREW.replace("`", "")


def test_the_box_of_a_task_stands_where_its_line_begins(qapp):
    look(qapp)
    document = prose_document("- [ ] שלום")
    assert isinstance(document, StillDocument)
    piece = DocumentPiece(document, 0, 400)
    image = painted(piece)
    right = image.copy(QRect(200, 0, 200, piece.height))
    left = image.copy(QRect(0, 0, 200, piece.height))
    empty = QImage(left)
    empty.fill(Qt.GlobalColor.white)
    assert left == empty
    assert right != left


def painted(piece):
    image = QImage(piece.width, piece.height, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    piece.paint(painter, None, 1.0)
    painter.end()
    return image


def test_words_behind_emoji_are_found_and_copied_where_they_stand(view):
    log = Log()
    log.says("👩‍🚀🎉 launch 🎉 done")
    view.hearing.take([log.opened()])
    layout = view.layouts.layout_of(0)
    assert mark_words(layout, re.compile("launch"), -1)
    (piece,) = documents(view)
    (begin, end) = piece.marks[0]
    number = layout.pieces.index(piece)
    view.selection.select_text(Position("row:0", number, begin), Position("row:0", number, end))
    assert view.selection.text() == "launch"


def missing_glyphs(document):
    """The texts of the document for which the laid out glyphs have no shape."""
    found, block = [], document.begin()
    while block.isValid():
        for run in block.layout().glyphRuns():
            if 0 in run.glyphIndexes():
                found.append(run.rawFont().familyName())
        block = block.next()
    return found


@pytest.mark.parametrize("text", ORDINARY)
def test_every_letter_is_drawn_or_the_missing_font_is_named(view, text):
    said = []
    cover = FontCover()
    cover.lacking.connect(said.append)
    cover.look(text)
    log = Log()
    log.says(text)
    view.hearing.take([log.opened()])
    (piece,) = documents(view)
    painted(piece)
    if not said:
        assert missing_glyphs(piece.document) == []
    for sentence in said:
        assert re.search(r"the package fonts-noto-(cjk|core) has one\.$", sentence)


def test_emoji_are_always_drawn(view):
    log = Log()
    log.says(next(case["text"] for case in CASES if case.get("script") == "emoji"))
    view.hearing.take([log.opened()])
    (piece,) = documents(view)
    assert missing_glyphs(piece.document) == []
    assert is_drawn("\U0001f642")
    assert is_drawn("\U0001fae8")

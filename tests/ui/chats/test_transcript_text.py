"""Markdown, code colours, terminal output, diffs and safe text, as the transcript paints them."""

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QFont, QImage, QTextDocument
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.domain.display.links import is_safe_link
from desktop.domain.terminals.looks import Look
from desktop.domain.terminals.updates import BOLD, HIDDEN, ITALIC, REVERSED, RGB, STRUCK, UNDERLINED
from desktop.ui.chats.transcript.painting.markdown_blocks import MarkdownBlock, MarkdownBlocks
from desktop.ui.text.ansi import AnsiText, parse, plain, text_format
from desktop.ui.text.diff_lines import ShownLine, diff_lines
from desktop.ui.text.highlight import Highlighter, lexer_for, spans
from desktop.ui.text.markdown import StillDocument, prose_document
from desktop.ui.text.safe_text import hidden_characters, original_text, safe_line, safe_text
from desktop.ui.theme.contrast import TEXT_LEAST, contrast
from desktop.ui.theme.theme import theme
from tests.ui.transcript_log import look

TEXT = "Intro\n\n- a\n- b\n\n```python\nx = 1\n\ny = 2\n```\n\n> quote\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend"
LANGUAGES = (
    "python", "sql", "bash", "json", "yaml", "toml", "xml", "html", "css", "javascript", "typescript", "go", "rust",
    "java", "c", "cpp", "diff", "markdown",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _look(qapp: QApplication) -> None:
    look(qapp, "dark")


def anchors(document: QTextDocument) -> list[str]:
    found = []
    block = document.begin()
    while block.isValid():
        walk = block.begin()
        while not walk.atEnd():
            look = walk.fragment().charFormat()
            if look.isAnchor():
                found.append(look.anchorHref())
            assert not look.isImageFormat()
            walk += 1
        block = block.next()
    return found


# Markdown


def test_text_splits_into_blocks_and_fences_are_code() -> None:
    blocks = MarkdownBlocks().update(TEXT)
    assert [block.kind for block in blocks] == ["prose", "prose", "code", "quote", "prose", "prose"]
    assert blocks[2] == MarkdownBlock("code", "x = 1\n\ny = 2", "python")


@pytest.mark.parametrize("step", [1, 3, 7, 50])
def test_growing_text_gives_the_same_blocks_as_whole_text(step: int) -> None:
    growing = MarkdownBlocks()
    for end in range(0, len(TEXT), step):
        growing.update(TEXT[:end])
    assert growing.update(TEXT) == MarkdownBlocks().update(TEXT)


def test_finished_blocks_stay_the_same_objects_while_text_arrives() -> None:
    growing = MarkdownBlocks()
    first = growing.update("One\n\nTwo\n\nThr")
    second = growing.update("One\n\nTwo\n\nThree")
    assert second[0] is first[0]
    assert second[1] is first[1]
    assert second[2].text == "Three"


def test_another_text_starts_over() -> None:
    growing = MarkdownBlocks()
    growing.update("One\n\nTwo")
    assert [block.text for block in growing.update("Else")] == ["Else"]


def test_a_fence_that_was_never_closed_is_code() -> None:
    (block,) = MarkdownBlocks().update("```sql\nSELECT 1\n\n-- more")
    assert (block.kind, block.language, block.closed) == ("code", "sql", False)
    assert block.text == "SELECT 1\n\n-- more"


@pytest.mark.promise("gate-V7")
def test_pictures_html_and_bad_links_are_text() -> None:
    document = prose_document('![x](file:///etc/passwd) <img src="http://e/i.png"> [a](javascript:1) <b>hi</b>')
    document.setTextWidth(400)
    document.documentLayout().documentSize()
    assert document.toPlainText() == 'x — file:///etc/passwd <img src="http://e/i.png"> a (javascript:1) <b>hi</b>'
    assert anchors(document) == []


def test_a_document_opens_no_file(tmp_path: Path) -> None:
    picture = QImage(40, 30, QImage.Format.Format_RGB32)
    picture.fill(0)
    assert picture.save(str(tmp_path / "x.png"))
    address = QUrl.fromLocalFile(str(tmp_path / "x.png"))
    assert StillDocument().resource(QTextDocument.ResourceType.ImageResource.value, address) is None
    document = StillDocument()
    document.setMarkdown(f"![x]({address.toString()})")
    assert document.resource(QTextDocument.ResourceType.ImageResource.value, address) is None


@pytest.mark.parametrize(
    ("target", "safe"),
    [("https://a.b/c", True), ("http://a", True), ("mailto:a@b", True), ("src/a.py", False), ("file:///etc", False),
     ("javascript:1", False), ("/etc/passwd", False), ("//host/x", False), ("data:text/html,x", False),
     ("", False), ("http://[", False)],
)  # fmt: skip
def test_only_addresses_are_links(target: str, safe: bool) -> None:
    assert is_safe_link(target) is safe


def test_addresses_are_links_and_paths_are_words() -> None:
    document = prose_document("[docs](https://example.org) and [file](src/a.py)")
    assert anchors(document) == ["https://example.org"]
    assert document.toPlainText() == "docs (https://example.org) and file (src/a.py)"


def test_task_items_are_remembered_for_their_boxes() -> None:
    assert prose_document("- [x] done\n- [ ] open").tasks == [(0, True), (1, False)]


def test_headings_are_semibold_and_code_has_the_fixed_font() -> None:
    document = prose_document("# Title\n\nwith `code`")
    heading = document.begin().begin().fragment().charFormat()
    assert heading.font().weight() == QFont.Weight.DemiBold
    walk = document.begin().next().begin()
    walk += 1
    assert walk.fragment().charFormat().font().family() == theme().mono().family()


def test_hidden_characters_show_in_markdown() -> None:
    assert "⟦U+202E⟧" in prose_document("safe\u202egpj.exe").toPlainText()


# code


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_colours(language: str) -> None:
    assert lexer_for(language) is not None


def test_code_is_coloured_by_tokens_and_unknown_code_is_plain() -> None:
    colours = {part[2] for part in spans('def f():\n    return "a" + 1  # c\n', "python")}
    assert colours == {"code_keyword", "code_function", "code_string", "code_number", "code_comment"}
    assert list(spans("def f()", "nonsense")) == []
    assert list(spans("x = 1\n" * 20_000, "python")) == []


def test_a_language_met_first_is_coloured_a_moment_later(qtbot: QtBot) -> None:
    document = StillDocument()
    document.setPlainText("fn main() {}")
    done: list[bool] = []
    highlighter = Highlighter()
    highlighter.colour(document, "zig", lambda: done.append(True))
    qtbot.waitUntil(lambda: bool(done))
    assert document.begin().layout().formats()


def test_long_code_is_coloured_in_slices(qtbot: QtBot) -> None:
    document = StillDocument()
    document.setPlainText("\n".join(f"def f{n}(): return {n}" for n in range(600)))
    highlighter = Highlighter()
    with qtbot.waitSignal(highlighter.finished):
        highlighter.colour(document, "python", lambda: None)
    assert document.findBlockByNumber(599).layout().formats()
    assert document.findBlockByNumber(0).layout().lineCount() == 0 or document.toPlainText()


def test_lines_after_a_string_over_lines_keep_their_colour() -> None:
    document = StillDocument()
    document.setPlainText('"""a\nb"""\nx')
    assert lexer_for("python") is not None
    Highlighter().colour(document, "python", lambda: None)
    assert [len(document.findBlockByNumber(n).layout().formats()) for n in range(3)] == [1, 1, 0]


# terminal output


def test_control_sequences_are_removed_and_colours_kept() -> None:
    lines = parse("\x1b[2J\x1b]0;title\x07\x1b]8;;http://evil\x1b\\\x1b[31mred\x1b[0m")
    assert lines == [[("red", (1, -1, 0))]]


def test_a_carriage_return_overwrites_the_line() -> None:
    assert plain(parse("10%\r99%\nnext\r\nlast")) == "99%\nnext\nlast"
    assert plain(parse("long line\rshort")) == "shortline"


def test_sequences_cut_between_chunks_are_completed() -> None:
    whole = "a\x1b[1;38;5;196mred\x1b[0m\x1b]0;t\x07b"
    output = AnsiText()
    for char in whole:
        output.feed(char)
    assert plain(output.lines) == "aredb"
    assert output.lines[0][1][1] == (196, -1, BOLD)


@pytest.mark.parametrize(
    ("look", "weight", "italic", "underlined", "ink"),
    [
        ((-1, -1, BOLD), QFont.Weight.DemiBold, False, False, ""),
        ((12, -1, 0), QFont.Weight.DemiBold, False, False, ""),
        ((16, -1, ITALIC), QFont.Weight.Normal, True, False, ""),
        ((-1, -1, UNDERLINED | STRUCK | HIDDEN), QFont.Weight.Normal, False, True, "text"),
        ((231, -1, 0), QFont.Weight.Normal, False, False, "#ffffff"),
        ((244, -1, 0), QFont.Weight.Normal, False, False, "#808080"),
        ((RGB + 0xFAFBFC, -1, 0), QFont.Weight.Normal, False, False, "#fafbfc"),
    ],
)
def test_looks_become_formats(look: Look, weight: QFont.Weight, italic: bool, underlined: bool, ink: str) -> None:
    shown = text_format(look)
    assert (shown.fontWeight(), shown.fontItalic(), shown.fontUnderline()) == (weight, italic, underlined)
    if ink:
        expected = theme().color("text").name() if ink == "text" else ink
        assert shown.foreground().color().name() == expected


def test_a_reversed_look_swaps_ink_and_ground() -> None:
    shown = text_format((-1, -1, REVERSED))
    assert shown.background().color() == theme().color("text")
    assert shown.foreground().color() == theme().color("sunken")


@pytest.mark.parametrize("name", ["light", "dark"])
def test_every_colour_can_be_read(name: str) -> None:
    theme().choose(name)
    ground = theme().color("sunken")
    for fore in [*range(16), RGB + 0xFFFF00, RGB + 0x000028, 244]:
        ink = text_format((fore, -1, 0)).foreground().color()
        assert contrast(ink, ground) >= TEXT_LEAST


# diffs and safe text


def test_a_diff_has_signs_and_line_numbers_and_no_headers() -> None:
    text = "--- a/x\n+++ b/x\n@@ -4,2 +4,2 @@ def f\n keep\n-old\n+new\n\\ No newline at end of file\n"
    assert diff_lines(text) == [
        ShownLine("hunk", "@@ -4,2 +4,2 @@ def f"), ShownLine("context", " keep", 4, 4), ShownLine("del", "-old", 5, 0),
        ShownLine("add", "+new", 0, 5), ShownLine("meta", "\\ No newline at end of file"),
    ]  # fmt: skip
    assert [line.kind for line in diff_lines(text, headers=True)][:2] == ["meta", "meta"]


def test_a_removed_line_that_begins_with_dashes_is_a_removed_line() -> None:
    assert diff_lines("@@ -1 +1 @@\n--- a\n+++ b")[1:] == [
        ShownLine("del", "--- a", 1, 0),
        ShownLine("add", "+++ b", 0, 1),
    ]


def test_hidden_characters_are_tokens_indentation_is_not() -> None:
    text = "def f():\n            return '\u200b'\n\n\n\n\nend"
    shown = safe_text(text)
    assert shown == text.replace("\u200b", "⟦U+200B⟧")
    assert original_text(shown) == text
    assert hidden_characters(shown) == ("U+200B",)


def test_tokens_cannot_be_forged_and_lines_are_one() -> None:
    assert original_text(safe_text("⟦U+0041⟧")) == "⟦U+0041⟧"
    assert safe_line("a\n  b\u202e") == "a b⟦U+202E⟧"

"""The lines of a unified diff as they are coloured in a box."""

from PySide6.QtGui import QTextBlock

from desktop.ui.gate.cards.evidence.evidence import show_lines
from desktop.ui.theme.theme import theme
from desktop.ui.widgets.text_box import TextBox

TWO_FILES = """--- a.py
+++ a.py
@@ -1,2 +1,2 @@
 kept
--- a removed line of SQL
+++ an added one
--- b.py
+++ b.py
@@ -0,0 +1 @@
+new
"""


def kind(block: QTextBlock) -> str:
    ground = block.blockFormat().background().color().name()
    return {theme().color("diff_add").name(): "+", theme().color("diff_del").name(): "-"}.get(ground, " ")


def test_headings_of_files_are_told_from_lines_that_look_like_them(qtbot):
    box = TextBox("box", "A diff", None)
    qtbot.addWidget(box)
    show_lines(box, TWO_FILES, diff=True)
    found = "".join(kind(box.document().findBlockByNumber(line)) for line in range(10))
    assert found == "    -+   +"
    show_lines(box, "+ plain", diff=False)
    assert kind(box.document().firstBlock()) == " ", "what was shown before leaves no colour"

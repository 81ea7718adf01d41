"""No text from outside reaches a label, message, tooltip or title unless it was made fit to show (gate-V1)."""

import ast
from pathlib import Path

import pytest

UI = Path(__file__).parents[2] / "desktop" / "ui"
SINKS = frozenset(
    {"setText", "setToolTip", "setWindowTitle", "setStatusTip", "setWhatsThis", "setInformativeText", "showMessage",
     "setDetailedText", "setPlaceholderText", "setTitle"}
)  # fmt: skip
FIT = frozenset(
    {"display_text", "surface_text", "whole_title", "cut_title", "path_text", "safe_text", "safe_line", "said_text",
     "prose_text", "prose_lines", "prose_line",
     "plain_tooltip", "count", "key_text", "duration", "clock_time", "changed_lines", "size", "number", "len"}
)  # fmt: skip
FOREIGN = frozenset(
    {"title", "path", "text", "message", "reason", "command", "name", "label", "branch", "cwd", "url", "alt", "source",
     "summary", "description", "stderr", "problem", "content", "header", "asker", "covers", "plan", "question"}
)  # fmt: skip
"""Fields of domain values whose text comes from outside."""
OWN = frozenset({"self", "look", "theme", "action", "spec", "question", "choice", "entry", "field", "offer"})
"""Objects of the window itself, which hold words of ours or text that was made fit when they were made."""
EDITED = {
    "sidebar/view.py": ["row.chat.title"], "settings/permissions/rule_form.py": ["rule.name", "rule.reason"],
    "lanes/menu.py": ["lane.branch"], "pulls/header.py": ["pull.url"],
    "pulls/dialogs/create.py": ["plan.title", "suggested.title"],
}  # fmt: skip
"""Fields in which a person changes the text, and the clipboard: they hold it as it is."""


def foreign_parts(node: ast.expr) -> list[str]:
    """The fields in an expression that are shown as they came: those that no fitting function takes."""
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func).rpartition(".")[2]
        if name in FIT:
            return []
        inner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return [part for one in (*inner, *node.args) for part in foreign_parts(one)]
    if isinstance(node, ast.Attribute):
        root: ast.expr = node
        while isinstance(root, ast.Attribute | ast.Call):
            root = root.value if isinstance(root, ast.Attribute) else root.func
        domain = isinstance(root, ast.Name) and root.id not in OWN
        return [ast.unparse(node)] if domain and node.attr in FOREIGN else []
    if isinstance(node, ast.IfExp):
        return [*foreign_parts(node.body), *foreign_parts(node.orelse)]
    inside = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    return [part for child in inside for part in foreign_parts(child)]


def raw_sinks(source: str) -> list[tuple[int, str]]:
    """Line and field of each place where foreign text is shown as it came."""
    return [
        (node.lineno, part)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and node.args
        and ((isinstance(node.func, ast.Attribute) and node.func.attr in SINKS)
             or (isinstance(node.func, ast.Name) and node.func.id in ("QLabel", "QMessageBox")))
        for argument in node.args
        for part in foreign_parts(argument)
    ]  # fmt: skip


@pytest.mark.promise("gate-V1")
@pytest.mark.parametrize(
    "line",
    ["label.setText(request.reason)", "QLabel(card.title, box)", 'w.setToolTip(f"In {lane.path}")',
     "w.setWindowTitle(chat.title.strip())", "w.setText(a if x else chat.title)"],
)  # fmt: skip
def test_the_lint_finds_text_that_is_shown_as_it_came(line):
    assert raw_sinks(line)


@pytest.mark.parametrize(
    "line",
    ["label.setText(display_text(request.reason))", 'w.setToolTip("Close")', "w.setText(self.title)",
     'w.setText(f"In {display_text(lane.path)}")', "w.setText(count(3, 'line'))"],
)  # fmt: skip
def test_the_lint_lets_fit_text_and_words_of_ours_pass(line):
    assert raw_sinks(line) == []


@pytest.mark.promise("gate-V1")
@pytest.mark.parametrize("path", sorted(UI.rglob("*.py")), ids=lambda path: path.relative_to(UI).as_posix())
def test_foreign_text_is_made_fit_before_it_is_shown(path):
    raw = [part for _line, part in raw_sinks(path.read_text("utf-8"))]
    assert raw == EDITED.get(path.relative_to(UI).as_posix(), [])

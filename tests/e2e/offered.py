"""What the window offers to press for lanes, review and terminals: the names, read out of the source."""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

from desktop.ui.changes.review_actions import REVIEW_ACTIONS
from desktop.ui.core.panel import all_actions
from desktop.ui.lanes.menu import LANE_ACTIONS
from desktop.ui.lanes.repairs import OFFERS
from desktop.ui.window.build import PANELS

UI = Path(__file__).parents[2] / "desktop" / "ui"
FILES = (
    "changes/**/*.py", "history/*.py", "lanes/**/*.py", "terminals/*.py", "chats/place_choice.py",
    "chats/transcript/restore.py",
    "core/terminal_opener.py", "widgets/dialogs/form.py", "window/joins/changes.py", "window/joins/lanes.py",
)  # fmt: skip
AREA = re.compile(
    r"(lane|changes|commit|checkpoint|comparison|timeline|terminal|conflict|stack|handover|setup_strip|operation_strip|behind_strip|push_lanes"
    r"|restore|bring_back|composer_place|action)_?[a-z0-9_]*"
)
"""What a name of these parts of the window looks like."""
MAKERS = (
    "_button",
    "push_button",
    "small_button",
    "icon_button",
    "add_button",
    "_push",
    "_icon",
    "_offer",
    "_tick",
    "_compact",
    "ChoiceButton",
    "add",
    "Hit",
)
"""Functions that are given the name of what they make."""
BUTTONS = (
    "QPushButton",
    "IconButton",
    "ElidedButton",
    "QToolButton",
    "QCheckBox",
    "QRadioButton",
    "QAbstractButton",
    "addAction",
)
LEAVES = {"LaneForm": "_cancel", "LaneLogDialog": "_close"}
"""The end of the name of the button that leaves a dialog of this kind; the dialog's own name is its beginning."""
NUMBERED = re.compile(r"(terminal_leftover_end|lane_edit_color)_\w+")
_OF_WINDOW = re.compile(r"lane|terminal|changes|timeline|several_models")


@functools.cache
def offered() -> frozenset[str]:
    """Every name there is: of buttons, of entries of menus, of actions of the window. Read once in each process."""
    names = {name for file in files() for name in _in_file(ast.parse(file.read_text(encoding="utf-8")))}
    names |= {f"lane_menu_{action.id}" for action in LANE_ACTIONS} | {f"lane_repair_{offer}" for offer in OFFERS}
    names |= {f"action_{action.id}" for action in all_actions(PANELS) if _OF_WINDOW.search(action.id)}
    names |= {f"action_changes_{action}" for action in REVIEW_ACTIONS}
    return frozenset(plain(name) for name in names)


def files() -> list[Path]:
    """Where they are made."""
    return sorted({file for pattern in FILES for file in UI.glob(pattern)})


def plain(name: str) -> str:
    """The name without what differs from one to the next of its kind, or between a strip and a menu."""
    return NUMBERED.sub(r"\1", name.replace("lane_menu_repair_", "lane_repair_"))


def _in_file(tree: ast.Module) -> Iterator[str]:
    yield from _of_choices(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _in_call(node)
        elif isinstance(node, ast.For):
            yield from _in_table(node)
        elif isinstance(node, ast.ClassDef):
            yield from _of_form(node)
        elif isinstance(node, ast.FunctionDef):
            yield from _named_later(node)


def _in_call(call: ast.Call) -> Iterator[str]:
    """The name in what makes a button, and those of the two buttons of a question."""
    name = _last(call.func)
    if name in MAKERS:
        yield from filter(None, map(_name, call.args))
    elif name in ("Question", "__init__", "append"):
        for pair in call.args:
            if isinstance(pair, ast.Tuple):
                yield from filter(None, map(_name, pair.elts))


def _in_table(loop: ast.For) -> Iterator[str]:
    """Buttons that are made one after the other from rows of a table."""
    if isinstance(loop.iter, ast.Tuple) and any(_last(node.func) in BUTTONS for node in _calls(loop)):
        for row in loop.iter.elts:
            if isinstance(row, ast.Tuple):
                yield from filter(None, map(_name, row.elts))


def _of_form(made: ast.ClassDef) -> Iterator[str]:
    """A form has a button that leaves it, and so has a dialog with a log."""
    ends = [LEAVES[_last(base)] for base in made.bases if _last(base) in LEAVES]
    for call in _calls(made):
        if ends and _last(call.func) == "__init__" and call.args and (name := _name(call.args[0])):
            yield name + ends[0]


def _of_choices(tree: ast.Module) -> Iterator[str]:
    """A button for each value of a choice: the first of each pair, or the keys of a table."""
    tables = {ast.unparse(target): node.value for one in ast.walk(tree) for target, node in _assigned(one)}
    for call in _calls(tree):
        if _last(call.func) == "Segmented" and len(call.args) > 2 and (name := _name(call.args[0])):
            given: list[ast.expr | None] = [call.args[2]]
            given += [tables.get(one.id) for one in ast.walk(call.args[2]) if isinstance(one, ast.Name)]
            for value in (one for table in given for one in _firsts(table)):
                yield f"{name}_{value.replace('-', '_')}"


def _assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.Assign | ast.AnnAssign]]:
    if isinstance(node, ast.Assign):
        yield from ((target, node) for target in node.targets)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield node.target, node


def _firsts(table: ast.expr | None) -> list[str]:
    keys: list[ast.expr | None] = list(table.keys) if isinstance(table, ast.Dict) else []
    if isinstance(table, ast.Tuple | ast.List):
        keys = [row.elts[0] for row in table.elts if isinstance(row, ast.Tuple)]
    return [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]


def _named_later(function: ast.FunctionDef) -> Iterator[str]:
    """Buttons that get their name by themselves."""
    made = {
        ast.unparse(target)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _last(node.value.func) in BUTTONS
        for target in node.targets
    }
    made |= {
        ast.unparse(target)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.BoolOp | ast.IfExp)
        and any(_last(call.func) in BUTTONS for call in _calls(node.value))
        for target in node.targets
    }
    for call in _calls(function):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "setObjectName" and call.args:
            name = _name(call.args[0])
            if name and ast.unparse(call.func.value) in made:
                yield name


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _name(node: ast.expr) -> str:
    is_name = isinstance(node, ast.Constant) and isinstance(node.value, str) and AREA.fullmatch(node.value)
    return str(node.value) if is_name and isinstance(node, ast.Constant) else ""

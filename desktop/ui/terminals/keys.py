"""Keys as a terminal sends them to its programs, and which ones stay with the window."""

import sys
from typing import Literal

from PySide6.QtCore import QKeyCombination, Qt

_KEYS = {
    Qt.Key.Key_Up: "A",
    Qt.Key.Key_Down: "B",
    Qt.Key.Key_Right: "C",
    Qt.Key.Key_Left: "D",
    Qt.Key.Key_Home: "H",
    Qt.Key.Key_End: "F",
    Qt.Key.Key_F1: "P",
    Qt.Key.Key_F2: "Q",
    Qt.Key.Key_F3: "R",
    Qt.Key.Key_F4: "S",
}
_NUMBERED = {
    Qt.Key.Key_Insert: 2,
    Qt.Key.Key_Delete: 3,
    Qt.Key.Key_PageUp: 5,
    Qt.Key.Key_PageDown: 6,
    Qt.Key.Key_F5: 15,
    Qt.Key.Key_F6: 17,
    Qt.Key.Key_F7: 18,
    Qt.Key.Key_F8: 19,
    Qt.Key.Key_F9: 20,
    Qt.Key.Key_F10: 21,
    Qt.Key.Key_F12: 24,
}
_PLAIN = {
    Qt.Key.Key_Return: "\r",
    Qt.Key.Key_Enter: "\r",
    Qt.Key.Key_Tab: "\t",
    Qt.Key.Key_Backtab: "\x1b[Z",
    Qt.Key.Key_Escape: "\x1b",
    Qt.Key.Key_Backspace: "\x7f",
}
_CONTROL = {
    Qt.Key.Key_Space: "\0",
    Qt.Key.Key_BracketLeft: "\x1b",
    Qt.Key.Key_Backslash: "\x1c",
    Qt.Key.Key_BracketRight: "\x1d",
    Qt.Key.Key_AsciiCircum: "\x1e",
    Qt.Key.Key_Underscore: "\x1f",
    Qt.Key.Key_Slash: "\x1f",
    Qt.Key.Key_2: "\0",
    Qt.Key.Key_Backspace: "\b",
}
_SHIFT, _ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier
_ON_MAC = sys.platform == "darwin"
_CTRL = Qt.KeyboardModifier.MetaModifier if _ON_MAC else Qt.KeyboardModifier.ControlModifier
"""The key that says Ctrl; Qt calls the Command key of macOS Control."""
_COMMAND = Qt.KeyboardModifier.ControlModifier if _ON_MAC else Qt.KeyboardModifier.MetaModifier
Own = Literal["", "copy", "paste", "find", "all"]
_OWN: dict[Qt.Key, Own] = {
    Qt.Key.Key_C: "copy",
    Qt.Key.Key_V: "paste",
    Qt.Key.Key_F: "find",
    Qt.Key.Key_A: "all",
}
_WINDOW_CTRL = frozenset(
    {
        Qt.Key.Key_QuoteLeft,
        Qt.Key.Key_Tab,
        Qt.Key.Key_Backtab,
        Qt.Key.Key_Comma,
        Qt.Key.Key_Period,
        Qt.Key.Key_Equal,
        Qt.Key.Key_Plus,
        Qt.Key.Key_Minus,
        Qt.Key.Key_0,
        *(Qt.Key(Qt.Key.Key_1 + n) for n in range(9)),
    }
)
"""With Ctrl: keys for which terminals have no code of their own."""


def stays_with_window(key: Qt.Key, modifiers: Qt.KeyboardModifier, *, full_screen: bool) -> bool:
    """Whether a key is the window's even while a terminal has the focus. Ctrl with a letter is the shell's, Ctrl+Shift
    with one the window's. `full_screen`: a program has the whole terminal; F6 is then its own."""
    control, shift = bool(modifiers & _CTRL), bool(modifiers & _SHIFT)
    if key == Qt.Key.Key_F11 or (_ON_MAC and modifiers & _COMMAND):
        return True
    if key == Qt.Key.Key_F6:
        return shift or not full_screen
    if not control:
        return False
    return key in _WINDOW_CTRL or (shift and Qt.Key.Key_A <= key <= Qt.Key.Key_Z) or bool(modifiers & _ALT)


def own_key(key: Qt.Key, modifiers: Qt.KeyboardModifier) -> Own:
    """What a key does in the terminal itself: Ctrl+Shift (on macOS Command) with C, V, F or A; Ctrl+Insert copies,
    Shift+Insert pastes."""
    if key == Qt.Key.Key_Insert:
        return "copy" if modifiers == _CTRL else "paste" if modifiers == _SHIFT else ""
    held = _COMMAND if _ON_MAC else _CTRL | _SHIFT
    return _OWN.get(key, "") if modifiers == held else ""


def key_text(combination: QKeyCombination, text: str, modes: frozenset[str]) -> str:
    """What a key sends, "" for nothing. `text`: what it types by itself. `modes`: those of the terminal."""
    key, modifiers = combination.key(), combination.keyboardModifiers()
    code = _code(modifiers)
    if key in _KEYS:
        letter = _KEYS[key]
        if code > 1:
            return f"\x1b[1;{code}{letter}"
        first = "O" if letter in "PQRS" or "application_cursor" in modes else "["
        return f"\x1b{first}{letter}"
    if key in _NUMBERED:
        return f"\x1b[{_NUMBERED[key]};{code}~" if code > 1 else f"\x1b[{_NUMBERED[key]}~"
    alt = "\x1b" if modifiers & _ALT and not _ON_MAC else ""  # on macOS Option types characters
    if modifiers & _CTRL:
        return _with_control(key, alt)
    if key in _PLAIN:
        return alt + _PLAIN[key]
    return alt + text if text and text.isprintable() else ""


def mouse_text(button: int, cell: tuple[int, int], *, pressed: bool, modes: frozenset[str]) -> str:
    """What a mouse event at a cell sends. `button`: 0 to 2, 64 and 65 the wheel, 32 added for a move."""
    column, row = cell[0] + 1, cell[1] + 1
    if "mouse_sgr" in modes:
        return f"\x1b[<{button};{column};{row}{'M' if pressed else 'm'}"
    if column > 95 or row > 95:  # the old form has one byte for each, and ours must be UTF-8
        return ""
    return "\x1b[M" + "".join(chr(32 + value) for value in (button if pressed else 3, column, row))


def pasted_text(text: str, modes: frozenset[str]) -> str:
    """Text as pasting sends it: line breaks as Enter; marked as pasted where the program asked for that, and then
    nothing in it can end the mark."""
    text = text.replace("\r\n", "\r").replace("\n", "\r")
    if "bracketed_paste" in modes:
        return "\x1b[200~" + text.replace("\x1b", "").replace("\x9b", "") + "\x1b[201~"
    return text


def _code(modifiers: Qt.KeyboardModifier) -> int:
    return 1 + bool(modifiers & _SHIFT) + 2 * bool(modifiers & _ALT) + 4 * bool(modifiers & _CTRL)


def _with_control(key: Qt.Key, alt: str) -> str:
    if Qt.Key.Key_A <= key <= Qt.Key.Key_Z:
        return alt + chr(key - Qt.Key.Key_A + 1)
    if key in _CONTROL:
        return alt + _CONTROL[key]
    return alt + _PLAIN[key] if key in _PLAIN else ""

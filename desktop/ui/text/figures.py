"""What tools say of a call in a few words, in the language of the window."""

import re
from collections.abc import Callable

from desktop.language import said, separated, tr, trn
from desktop.ui.text.format import count

_COUNTED: dict[str, Callable[[int], str]] = {
    "line": lambda n: count(n, "line"),
    "file": lambda n: count(n, "file"),
    "path": lambda n: count(n, "path"),
    "proof": lambda n: count(n, "proof"),
    "row": lambda n: count(n, "row"),
    "match": lambda n: count(n, "match", "matches"),
    "result": lambda n: count(n, "result"),
    "entry": lambda n: count(n, "entry", "entries"),
    "commit": lambda n: count(n, "commit"),
    "tool": lambda n: count(n, "tool"),
    "hit": lambda n: count(n, "hit"),
    "model": lambda n: count(n, "model"),
    "item": lambda n: count(n, "item"),
    "step": lambda n: count(n, "step"),
    "token": lambda n: count(n, "token"),
    "column": lambda n: count(n, "column"),
    "table": lambda n: count(n, "table"),
    "character": lambda n: count(n, "character"),
    "comment": lambda n: count(n, "comment"),
    "script": lambda n: count(n, "script"),
    "style": lambda n: count(n, "style"),
    "template": lambda n: count(n, "template"),
    "form": lambda n: count(n, "form"),
    "frame": lambda n: count(n, "frame"),
    "drawing": lambda n: count(n, "drawing"),
    "hidden part": lambda n: count(n, "hidden part"),
    "part for browsers without scripts": lambda n: trn(
        n, "{n} part for browsers without scripts", "{n} parts for browsers without scripts"
    ),
    "character that is not seen": lambda n: trn(
        n, "{n} character that is not seen", "{n} characters that are not seen"
    ),
    "bytes of text": lambda n: trn(n, "{n} byte of text", "{n} bytes of text"),
    "changed": lambda n: trn(n, "{n} changed", "{n} changed"),
    "new": lambda n: trn(n, "{n} new", "{n} new"),
    "deleted": lambda n: trn(n, "{n} deleted", "{n} deleted"),
    "more": lambda n: trn(n, "{n} more", "{n} more"),
    "empty folder": lambda n: trn(n, "{n} empty folder", "{n} empty folders"),
}
_SINGULAR = {
    "matches": "match",
    "entries": "entry",
    "parts for browsers without scripts": "part for browsers without scripts",
    "part for browsers without scripts": "part for browsers without scripts",
    "characters that are not seen": "character that is not seen",
    "bytes of text": "bytes of text",
}
_FIGURE = re.compile(r"(?P<n>[0-9][0-9,]{0,12}) (?P<noun>[a-z][a-z ]*)")
_PROOF = re.compile(r"pf_[0-9a-f]{12}")
"""The id of a proof, which its row need not tell: the title names the file."""
_SECRET = re.compile(r"stored as secret:sec_[0-9a-f]{12}")
_REMOVED = re.compile(r"(?P<of>[0-9,]{1,13} characters?); removed: (?P<parts>[^;]+)(?P<plain>; not read .*)?")
_TIME = re.compile(r"[0-9]+\.[0-9]+ s")
_EXIT = re.compile(r"exit (?P<code>-?[0-9]{1,5})")
_TODOS = re.compile(r"(?P<n>[0-9]{1,5}) todos?: (?P<parts>[a-z0-9, ]+)")
_TODO_STATES = {
    "done": lambda n: trn(n, "{n} done", "{n} done"),
    "in progress": lambda n: trn(n, "{n} in progress", "{n} in progress"),
    "open": lambda n: trn(n, "{n} open", "{n} open"),
}
_WORDS = {
    "No todos": tr("No todos"),
    "answered": tr("answered"),
    "approved": tr("approved"),
    "asked": tr("asked"),
    "attached": tr("attached"),
    "binary": tr("binary"),
    "changed on disk": tr("changed on disk"),
    "created": tr("created"),
    "declined": tr("declined"),
    "does not fit": tr("does not fit"),
    "git failed": tr("git failed"),
    "had ended": tr("had ended"),
    "interrupted": tr("interrupted"),
    "invalid pattern": tr("invalid pattern"),
    "loaded": tr("loaded"),
    "new": tr("new", context="figure"),
    "no change": tr("no change"),
    "no file differs": tr("no file differs"),
    "no files": tr("no files"),
    "no match": tr("no match"),
    "no matches": tr("no matches"),
    "no results": tr("no results"),
    "no secret": tr("no secret"),
    "no such command": tr("no such command"),
    "no such commit": tr("no such commit"),
    "no such folder": tr("no such folder"),
    "no such item": tr("no such item"),
    "no such table": tr("no such table"),
    "no tools": tr("no tools"),
    "nobody to ask": tr("nobody to ask"),
    "not a directory": tr("not a directory"),
    "not a regular file": tr("not a regular file"),
    "not approved": tr("not approved"),
    "not asked": tr("not asked"),
    "not attached": tr("not attached"),
    "not available": tr("not available"),
    "not captured": tr("not captured"),
    "not committed": tr("not committed"),
    "not created": tr("not created"),
    "not deleted": tr("not deleted"),
    "not found": tr("not found"),
    "not given": tr("not given"),
    "not in plan mode": tr("not in plan mode"),
    "not installed": tr("not installed"),
    "not loaded": tr("not loaded"),
    "not moved": tr("not moved"),
    "not opened": tr("not opened"),
    "not possible here": tr("not possible here"),
    "not proposed": tr("not proposed"),
    "not pinned": tr("not pinned"),
    "not pushed": tr("not pushed"),
    "not read yet": tr("not read yet"),
    "not readable": tr("not readable"),
    "not rebased": tr("not rebased"),
    "not replied": tr("not replied"),
    "not resolved": tr("not resolved"),
    "not run again": tr("not run again"),
    "not sent": tr("not sent"),
    "not started": tr("not started"),
    "not taken": tr("not taken"),
    "not taken away": tr("not taken away"),
    "not text": tr("not text"),
    "not told": tr("not told"),
    "not usable": tr("not usable"),
    "not written": tr("not written"),
    "nothing changed": tr("nothing changed"),
    "nothing done": tr("nothing done"),
    "nothing found": tr("nothing found"),
    "nothing to take": tr("nothing to take"),
    "output cut": tr("output cut"),
    "outside the lane": tr("outside the lane"),
    "past the end": tr("past the end"),
    "pinned": tr("pinned"),
    "ran without asking": tr("ran without asking"),
    "refused": tr("refused"),
    "replied": tr("replied"),
    "saved": tr("saved"),
    "stopped": tr("stopped"),
    "switched off": tr("switched off"),
    "taken away": tr("taken away"),
    "timed out": tr("timed out"),
    "too far": tr("too far"),
    "too large": tr("too large"),
    "too many": tr("too many"),
    "too many questions": tr("too many questions"),
    "unchanged": tr("unchanged"),
    "unpinned": tr("unpinned"),
}


def figure_words(summary: str) -> str:
    """The figure of a call: "exit 0 · 251 ms", "18 lines"; sentences of ours are told; what is not known stays as the
    tool wrote it."""
    return " · ".join(separated(part) if _TIME.fullmatch(part) else _part(part) for part in summary.split(" · "))


def _part(part: str) -> str:
    if part in _WORDS:
        return _WORDS[part]
    if _SECRET.fullmatch(part):
        return tr("stored")
    if _PROOF.fullmatch(part):
        return _WORDS["attached"]
    if ended := _EXIT.fullmatch(part):
        return tr("exit {exit_code}", exit_code=ended["code"])
    if todos := _TODOS.fullmatch(part):
        parts = (one.partition(" ") for one in todos["parts"].split(", "))
        states = ", ".join(_TODO_STATES[word](int(n)) for n, _, word in parts if word in _TODO_STATES)
        return f"{count(int(todos['n']), 'todo')}: {states}"
    if removed := _REMOVED.fullmatch(part):
        kinds = ", ".join(map(_part, removed["parts"].split(", ")))
        plain = tr("; not read as a page, only its tags were taken out") if removed["plain"] else ""
        return tr("{characters}; removed: {parts}", characters=_part(removed["of"]), parts=kinds) + plain
    counted = _FIGURE.fullmatch(part)
    if counted is None:
        return _sentence(part)
    n, noun = int(counted["n"].replace(",", "")), counted["noun"]
    words = _COUNTED.get(_SINGULAR.get(noun, noun.removesuffix("s")))
    return words(n) if words is not None else _sentence(part)


def _sentence(part: str) -> str:
    """A sentence of ours, which a tool may have shortened by its full stop."""
    told = said(whole := f"{part}.")
    return told.removesuffix(".") if told != whole else said(part)

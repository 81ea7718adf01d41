"""Colours of code: Pygments tokens as formats of a text document, in slices so that nothing waits for it."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import field
from functools import lru_cache

from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_for_filename, get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, String, _TokenType
from pygments.util import ClassNotFound
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextCharFormat, QTextDocument, QTextLayout
from shiboken6 import isValid

from desktop.records import dataclass
from desktop.ui.theme.theme import theme

MAX_CHARS, MAX_LINES = 100_000, 5_000
SLICE_S, WAIT_MS = 0.005, 20
_TOKENS: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "code_comment"),
    (Keyword.Type, "code_type"),
    (Keyword.Constant, "code_number"),
    (Keyword, "code_keyword"),
    (String, "code_string"),
    (Number, "code_number"),
    (Name.Function, "code_function"),
    (Name.Class, "code_type"),
    (Name.Builtin, "code_function"),
    (Name.Decorator, "code_function"),
    (Name.Tag, "code_keyword"),
    (Name.Attribute, "code_type"),
    (Name.Exception, "code_type"),
)


_LEXERS: dict[str, Lexer | None] = {}
_WORKER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lexer")


def _make_lexer(name: str) -> Lexer | None:
    try:
        return get_lexer_by_name(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def lexer_for(language: str) -> Lexer | None:
    """The lexer of a language by its usual name; None when unknown, which means plain text.

    The first call for a language compiles its rules, which can take 60 ms.
    """
    name = language.strip().lower()
    if name not in _LEXERS:
        _LEXERS[name] = _make_lexer(name)
    return _LEXERS[name]


def language_of(path: str) -> str:
    """The usual name of the language of a file, told by its name; "" for none. The first calls can take 100 ms."""
    found = find_lexer_class_for_filename(path.rpartition("/")[2])
    return found.aliases[0] if found is not None and found.aliases else ""


@lru_cache(maxsize=512)
def _token_color(kind: _TokenType) -> str:
    return next((name for token, name in _TOKENS if kind[: len(token)] == token), "")


def spans(text: str, language: str) -> Iterator[tuple[int, int, str]]:
    """Coloured parts of the text in order: (start, length, colour token). Nothing for unknown or very long texts."""
    lexer = lexer_for(language)
    if lexer is None or len(text) > MAX_CHARS or text.count("\n") > MAX_LINES:
        return
    for start, kind, value in lexer.get_tokens_unprocessed(text):
        color = _token_color(kind)
        if color and value.strip():
            yield start, len(value), color


@dataclass
class _Job:
    """One document to colour. `loading`: its lexer, while a worker thread still makes it."""

    document: QTextDocument
    text: str
    language: str
    done: Callable[[], None]
    loading: Future[Lexer | None] | None = None
    spans: Iterator[tuple[int, int, str]] = field(default_factory=lambda: iter(()))

    def begin(self) -> None:
        """Take the lexer and start over the text."""
        if self.loading is not None:
            _LEXERS[self.language] = self.loading.result()
            self.loading = None
        self.spans = by_line(self.text, spans(self.text, self.language))


class Highlighter(QObject):
    """Colours documents in the order asked for, a few milliseconds at a time."""

    finished = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs: list[_Job] = []
        self._loading: dict[str, Future[Lexer | None]] = {}
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._work)

    def colour(self, document: QTextDocument, language: str, done: Callable[[], None], *, at_once: bool = True) -> None:
        """Colour a document that holds code; `done` is called when it looks different later on.

        With `at_once` as much as a slice of time has room for is coloured at once, if the language was met before: its
        rules are compiled by a worker thread.
        """
        name, text = language.strip().lower(), document.toPlainText()
        if not name or not text or _LEXERS.get(name, False) is None:
            return
        job = _Job(document, text, name, done)
        if name not in _LEXERS:
            job.loading = self._loading.get(name) or _WORKER.submit(_make_lexer, name)
            self._loading[name] = job.loading
        else:
            job.begin()
            if at_once and self._run(job, time.perf_counter() + SLICE_S):
                return
        self._jobs.append(job)
        self._timer.start(0)

    def _work(self) -> None:
        if not self._jobs:
            self._timer.stop()
            return
        job = self._jobs[0]
        if job.loading is not None:
            if not job.loading.done():
                self._timer.start(WAIT_MS)
                return
            self._loading.pop(job.language, None)
            job.begin()
            self._timer.start(0)
        finished = not isValid(job.document) or self._run(job, time.perf_counter() + SLICE_S)
        if finished:
            self._jobs.pop(0)
            job.done()
            self.finished.emit()

    @staticmethod
    def _run(job: _Job, until: float) -> bool:
        """Apply parts until the time is up; True when nothing is left."""
        formats: dict[int, list[QTextLayout.FormatRange]] = {}
        done = False
        while time.perf_counter() < until:
            span = next(job.spans, None)
            if span is None:
                done = True
                break
            _add(job.document, formats, span)
        for number, ranges in formats.items():
            block = job.document.findBlockByNumber(number)
            block.layout().setFormats([*block.layout().formats(), *ranges])
            job.document.markContentsDirty(block.position(), block.length())
        return done


def by_line(text: str, parts: Iterator[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """The coloured parts of a text cut at line ends, as `spans` gives them."""
    for start, length, color in parts:
        end = start + length
        while start < end:
            stop = text.find("\n", start, end)
            stop = end if stop < 0 else stop
            if stop > start:
                yield start, stop - start, color
            start = stop + 1


def _add(
    document: QTextDocument, formats: dict[int, list[QTextLayout.FormatRange]], span: tuple[int, int, str]
) -> None:
    start, length, color = span
    block = document.findBlock(start)
    part = QTextLayout.FormatRange()
    part.start, part.length = start - block.position(), length
    look = QTextCharFormat()
    look.setForeground(theme().color(color))
    part.format = look
    formats.setdefault(block.blockNumber(), []).append(part)

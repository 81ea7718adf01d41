"""The place in the text of the thing to blame: what the card marks (gate-Q1)."""

from collections.abc import Sequence
from itertools import accumulate

from sqlglot import exp

from desktop.policy.sql.reading.lexer import Lexeme
from desktop.policy.sql.tree.walk import Problem

MAX_FRAGMENT = 200
_KEYWORDS = {"Delete": "DELETE", "Insert": "INSERT", "Update": "UPDATE", "Merge": "MERGE", "Into": "INTO"}
_WHOLE = frozenset({"assignment", "explain_runs"})
_LOCK_WORDS = frozenset(
    {
        "FOR",
        "UPDATE",
        "NO",
        "KEY",
        "SHARE",
        "OF",
        "NOWAIT",
        "SKIP",
        "LOCKED",
        "WAIT",
        "LOCK",
        "IN",
        "MODE",
    }
)
_LOCK_NEXT = frozenset({"UPDATE", "NO", "SHARE", "KEY", "IN"})


def problem_span(problem: Problem, lexemes: Sequence[Lexeme], offset: int) -> tuple[int, int]:
    """The first and the last place of the node in the text; the whole statement where a node does not say."""
    node = problem.node
    whole = (lexemes[0].start, lexemes[-1].end)
    name = type(node).__name__
    if name in _KEYWORDS:
        return _from_keyword(node, _KEYWORDS[name], lexemes, offset) or whole
    if problem.code == "lock":
        return _lock_span(lexemes) or whole
    span = None if problem.code in _WHOLE or isinstance(node, exp.Query) else _covered(node, offset)
    if span is None:
        return whole
    return _call_span(node, lexemes, offset) or _balanced(span, lexemes)


def _place(node: exp.Expr) -> tuple[int, int] | None:
    start, end = node.meta.get("start"), node.meta.get("end")
    return (start, end + 1) if isinstance(start, int) and isinstance(end, int) else None


def _covered(node: exp.Expr, offset: int) -> tuple[int, int] | None:
    places = [place for child in node.walk() if (place := _place(child))]
    if not places:
        return None
    return min(start for start, _ in places) + offset, max(end for _, end in places) + offset


def _from_keyword(node: exp.Expr, word: str, lexemes: Sequence[Lexeme], offset: int) -> tuple[int, int] | None:
    table = node.find(exp.Table)
    span = _covered(table, offset) if table else None
    if span is None:
        return None
    starts = [lexeme.start for lexeme in lexemes if lexeme.word == word and lexeme.start < span[0]]
    return (starts[-1], span[1]) if starts else None


def _lock_span(lexemes: Sequence[Lexeme]) -> tuple[int, int] | None:
    for index, lexeme in enumerate(lexemes[:-1]):
        if lexeme.word in ("FOR", "LOCK") and lexemes[index + 1].word in _LOCK_NEXT:
            last = index
            while last + 1 < len(lexemes) and lexemes[last + 1].word in _LOCK_WORDS:
                last += 1
            return lexeme.start, lexemes[last].end
    return None


def _call_span(node: exp.Expr, lexemes: Sequence[Lexeme], offset: int) -> tuple[int, int] | None:
    place = _place(node)
    if place is None or not isinstance(node, exp.Func):
        return None
    start = place[0] + offset
    marks = [lexeme for lexeme in lexemes if lexeme.start >= start and lexeme.kind == "mark"]
    depths = accumulate((lexeme.text == "(") - (lexeme.text == ")") for lexeme in marks)
    return next(((start, lexeme.end) for lexeme, depth in zip(marks, depths, strict=True) if depth == 0), None)


def _balanced(span: tuple[int, int], lexemes: Sequence[Lexeme]) -> tuple[int, int]:
    """The span, made longer at either end until each bracket in it has its partner."""
    first = next(index for index, lexeme in enumerate(lexemes) if lexeme.end > span[0])
    last = max(index for index, lexeme in enumerate(lexemes) if lexeme.start < span[1])
    while first > 0 and _depth(lexemes[first : last + 1], last=False) < 0:
        first -= 1
    while last + 1 < len(lexemes) and _depth(lexemes[first : last + 1], last=True) > 0:
        last += 1
    return min(span[0], lexemes[first].start), max(span[1], lexemes[last].end)


def _depth(lexemes: Sequence[Lexeme], *, last: bool) -> int:
    """How deep in brackets the pieces end, or the lowest depth they reach."""
    depth = lowest = 0
    for lexeme in lexemes:
        if lexeme.kind == "mark":
            depth += (lexeme.text == "(") - (lexeme.text == ")")
            lowest = min(lowest, depth)
    return depth if last else lowest

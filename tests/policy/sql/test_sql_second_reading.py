"""The second reader against tokens that disagree with it in each way there is."""

from dataclasses import dataclass

import pytest

from desktop.policy.sql.reading.dialects import DIALECTS
from desktop.policy.sql.reading.lexer import Reading, read, readings_differ
from desktop.policy.sql.screens import Fault


@dataclass(frozen=True)
class Piece:
    start: int
    end: int


def reading(text: str, dialect: str = "postgres") -> Reading:
    found = read(text, DIALECTS[dialect])
    assert isinstance(found, Reading)
    return found


@pytest.mark.parametrize(
    ("pieces", "agrees"),
    [
        ([(0, 5), (7, 9), (10, 10), (12, 14)], True),
        ([(0, 5), (7, 10), (12, 14)], False),  # a string and what follows in one token
        ([(0, 5), (7, 9), (10, 10)], False),  # something is in no token
        ([(0, 5), (7, 9), (10, 10), (12, 14), (16, 17)], False),  # a token where nothing is
        ([(0, 5), (7, 8), (9, 9), (10, 10), (12, 14)], False),  # a string in two tokens
        ([(0, 4), (5, 5), (7, 9), (10, 10), (12, 14)], False),  # a word in two tokens
        ([(0, 5), (8, 9), (10, 10), (12, 14)], False),  # a token that begins inside a string
    ],
)
def test_tokens_agree_only_if_they_cover_the_same_pieces(pieces: list[tuple[int, int]], agrees: bool) -> None:
    tokens = [Piece(*piece) for piece in pieces]
    difference = readings_differ(reading("SELECT 'a', 'b'").lexemes, tokens, 0)
    assert (difference is None) == agrees


@pytest.mark.promise("gate-Q5")
@pytest.mark.parametrize(
    ("dialect", "text", "count"),
    [
        ("postgres", "a /* /* */ ; */ b", 2),
        ("sqlite", "a /* /* */ b", 2),
        ("mysql", "a --b\n# c ; \nd", 5),
        ("mysql", "a -- b\nc", 2),
        ("postgres", "a --b\nc", 2),
        ("postgres", "E'a\\'b' 'c''d' $x$ $$ $x$ \"e\"\"f\"", 4),
        ("postgres", "a$b$ c", 2),
        ("sqlite", "[a;b] `c``d`", 2),
        ("tsql", "[a]]b] c", 2),
        ("snowflake", "a // b\n$$c;d$$", 2),
        ("bigquery", "'''a'b''' r\"\"\"c\"d\"\"\" 'e\\'f'", 4),
        ("oracle", "q'[a'b]' nq'!c'd!' q'(e)'", 3),
        ("mysql", '"a\\"b" \'c\'', 2),
        ("clickhouse", "'a\\'b' \"c\"", 2),
    ],
)
def test_each_dialect_is_cut_as_its_server_cuts_it(dialect: str, text: str, count: int) -> None:
    assert len(reading(text, dialect).lexemes) == count


@pytest.mark.parametrize("text", ["'a", '"a', "/* a", "/* /* */", "'a''"])
def test_what_does_not_end_is_a_fault(text: str) -> None:
    found = read(text, DIALECTS["postgres"])
    assert isinstance(found, Fault)
    assert found.code == "token_error"

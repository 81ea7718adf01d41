"""Ask cases in other clothes: case, blanks, comments, quotes, wrapping, company. None may be proven."""

import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.policy.sql.assess import assess_sql
from desktop.policy.sql.reading.dialects import find_dialect

CASES = [
    case
    for name in ("sql_cases.json", "sql_cases_2.json")
    for case in json.loads((Path(__file__).parents[2] / "cases" / name).read_text())
]
COUNT = 10_500
SEED = 20_261_122
WORD = re.compile(r"[A-Za-z_]+")
Mutation = Callable[[str, random.Random], str]


def other_case(text: str, chance: random.Random) -> str:
    """Keywords in another case; what is quoted stays, since its case can matter."""
    if re.search(r"['\"`\[$]", text):
        return text
    return WORD.sub(lambda found: "".join(chance.choice((c.upper(), c.lower())) for c in found.group()), text)


def other_blanks(text: str, chance: random.Random) -> str:
    if "--" in text or "#" in text:
        return text
    return text.replace(" ", chance.choice((" ", "  ", "\t", "\n", "\r\n", " \n ")))


def comment_first(text: str, chance: random.Random) -> str:
    return chance.choice(("/* SELECT 1 */ ", "-- SELECT 1\n", "/**/", "/* ; */")) + text


def comment_last(text: str, chance: random.Random) -> str:
    return text + chance.choice((" -- read", "\n/* SELECT 1 */", " /**/", "\n-- ;\n"))


def comments_between(text: str, chance: random.Random) -> str:
    if re.search(r"['\"`\[$\\]|--|/\*|#", text):
        return text
    return text.replace(" ", chance.choice(("/**/", " /* x */ ", " -- y\n", "/*;*/")))


def read_before(text: str, chance: random.Random) -> str:
    return chance.choice(("SELECT 1; ", "SELECT 1;\n", "VALUES (1); ", ";;SELECT 1;")) + text


def read_after(text: str, chance: random.Random) -> str:
    return text + chance.choice((";SELECT 1", "; SELECT 1;", "\n;\nSELECT * FROM t", ";;"))


def in_a_query(text: str, chance: random.Random) -> str:
    shape = chance.choice((
        "WITH x AS ({}) SELECT * FROM x", "SELECT * FROM ({}) AS x", "({})", "SELECT ({})", "SELECT 1 UNION ALL {}",
        "SELECT * FROM t WHERE EXISTS ({})", "SELECT * FROM t WHERE a IN ({})",
        "WITH a AS (SELECT 1), b AS ({}) SELECT 1",
    ))  # fmt: skip
    return shape.format(text.rstrip("; \n"))


def explained(text: str, chance: random.Random) -> str:
    return chance.choice(("EXPLAIN ANALYZE ", "EXPLAIN (ANALYZE) ", "EXPLAIN (VERBOSE, ANALYZE true) ")) + text


def doubled(text: str, chance: random.Random) -> str:
    if text.count('"') % 2 or text.count("'") % 2:
        return text
    return f"{text};{chance.choice((' ', chr(10)))}{text}"


MUTATIONS: tuple[Mutation, ...] = (
    other_case, other_blanks, comment_first, comment_last, comments_between, read_before, read_after, in_a_query,
    explained, doubled,
)  # fmt: skip


@pytest.mark.promise("gate-Q7")
@pytest.mark.timeout(180)
def test_no_mutant_of_an_ask_case_is_proven() -> None:
    chance = random.Random(SEED)
    asks = [c for c in CASES if c["expect"] != "auto" and not c.get("discretionary") and c["sql"].strip(" ;")]
    wrong = []
    for number in range(COUNT):
        case = asks[number % len(asks)]
        text = case["sql"]
        for mutation in chance.sample(MUTATIONS, chance.choice((1, 1, 2, 3))):
            text = mutation(text, chance)
        if assess_sql(text, case["dialect"]).proven_read:
            wrong.append((case["dialect"], text))
    assert wrong == []


def test_the_mutants_are_of_dialects_that_are_judged() -> None:
    assert all(find_dialect(case["dialect"]) for case in CASES)

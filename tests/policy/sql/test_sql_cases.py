"""The sample cases through `banksman check sql`, and the texts of this folder: reads that run, attacks that ask."""

import io
import json
from pathlib import Path

import pytest

from desktop.cli.check import answer_lines
from desktop.cli.check_sql import check_sql
from desktop.policy.sql.assess import assess_sql

HERE = Path(__file__).parent
CASES = json.loads((HERE.parents[1] / "cases" / "sql_cases.json").read_text())
MAIN = ("postgres", "sqlite", "mysql")
OTHERS = ("tsql", "duckdb", "snowflake")


def texts(name: str) -> list[str]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [line.replace("\\n", "\n").replace("\\u212A", "\u212a") for line in lines if line and line[0] != "#"]


def pairs(name: str) -> list[tuple[str, str]]:
    return [(dialect, text) for dialect, _, text in (line.partition("\t") for line in texts(name))]


def test_every_sample_case_gets_the_verdict_it_names_from_one_process() -> None:
    out = io.StringIO()
    answer_lines(check_sql, [json.dumps(case).encode() for case in CASES], out)
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    wrong = [
        (case["dialect"], case["sql"], answer["reason"])
        for case, answer in zip(CASES, answers, strict=True)
        if (answer["verdict"] == "allow") != (case["expect"] == "auto") and not case.get("discretionary")
    ]
    assert wrong == []


def test_check_sql_names_what_is_to_blame_and_nothing_where_nothing_is() -> None:
    asked = check_sql({"sql": "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x", "dialect": "postgres"})
    assert asked["verdict"] == "ask"
    assert asked["fragment"] == "DELETE FROM t"
    assert check_sql({"sql": "SELECT 1", "dialect": "sqlite"})["fragment"] is None


@pytest.mark.parametrize("line", [{"sql": 1, "dialect": "sqlite"}, {"sql": "SELECT 1"}, {"dialect": "sqlite"}, {}])
def test_a_line_without_its_fields_is_an_error(line: dict[str, object]) -> None:
    out = io.StringIO()
    answer_lines(check_sql, [json.dumps(line).encode()], out)
    assert "error" in json.loads(out.getvalue())


def test_no_text_that_only_looks_like_a_read_is_proven() -> None:
    wrong = [(dialect, text) for dialect, text in pairs("attacks.txt") if assess_sql(text, dialect).proven_read]
    assert wrong == []


@pytest.mark.parametrize("dialect", MAIN)
def test_at_least_150_ordinary_reads_are_tried_and_97_of_100_are_proven(dialect: str) -> None:
    reads = texts("reads_common.txt") + texts(f"reads_{dialect}.txt")
    asked = [text for text in reads if not assess_sql(text, dialect).proven_read]
    assert len(reads) >= 150
    assert len(asked) <= len(reads) * 0.03, asked


@pytest.mark.parametrize("dialect", OTHERS)
def test_nearly_all_ordinary_reads_of_other_dialects_are_proven(dialect: str) -> None:
    reads = texts("reads_common.txt") + [text for name, text in pairs("reads_others.txt") if name == dialect]
    asked = [text for text in reads if not assess_sql(text, dialect).proven_read]
    assert len(asked) <= len(reads) * 0.03, asked


def test_nearly_all_reads_of_the_remaining_dialects_are_proven() -> None:
    reads = [(dialect, text) for dialect, text in pairs("reads_others.txt") if dialect not in OTHERS]
    asked = [(dialect, text) for dialect, text in reads if not assess_sql(text, dialect).proven_read]
    assert len(asked) <= len(reads) * 0.05, asked

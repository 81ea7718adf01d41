"""The sample cases through `banksman check sql`, and the texts of this folder: reads that run, attacks that ask."""

import io
import json
from pathlib import Path

import pytest

from desktop.cli.check import answer_lines
from desktop.cli.check_sql import check_sql
from desktop.policy.sql.assess import assess_sql
from desktop.policy.sql.reading.dialects import DIALECTS

HERE = Path(__file__).parent
CASES = [
    case
    for name in ("sql_cases.json", "sql_cases_2.json")
    for case in json.loads((HERE.parents[1] / "cases" / name).read_text())
]
MAIN = ("postgres", "sqlite", "mysql")
READS_OF = {
    "postgresql": "postgres", "mariadb": "mysql", "mssql": "tsql", "sqlserver": "tsql", "fabric": "tsql",
    "presto": "trino", "athena": "trino", "dune": "trino", "databricks": "spark", "spark2": "spark", "hive": "spark",
    "drill": "small", "druid": "small", "dremio": "small", "exasol": "small", "teradata": "small",
    "singlestore": "small", "doris": "small", "starrocks": "small", "redshift": "small", "materialize": "small",
    "risingwave": "small",
}  # fmt: skip
"""Whose file of reads is tried beside the common one; `small`: none, the common one alone."""
SMALL = {dialect for dialect, name in READS_OF.items() if name == "small"}


def texts(name: str) -> list[str]:
    if not (HERE / name).exists():
        return []
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


@pytest.mark.promise("gate-J6")
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
    attacks = pairs("attacks.txt") + pairs("attacks_more.txt")
    wrong = [(dialect, text) for dialect, text in attacks if assess_sql(text, dialect).proven_read]
    assert wrong == []
    assert len(attacks) > 1_200


@pytest.mark.parametrize("dialect", MAIN)
def test_at_least_150_ordinary_reads_are_tried_and_97_of_100_are_proven(dialect: str) -> None:
    reads = texts("reads_common.txt") + texts(f"reads_{dialect}.txt")
    asked = [text for text in reads if not assess_sql(text, dialect).proven_read]
    assert len(reads) >= 150
    assert len(asked) <= len(reads) * 0.03, asked


@pytest.mark.parametrize("dialect", DIALECTS)
def test_at_least_97_of_100_ordinary_reads_of_every_dialect_are_proven(dialect: str) -> None:
    reads = texts("reads_common.txt") + texts(f"reads_{READS_OF.get(dialect, dialect)}.txt")
    reads += [text for name, text in pairs("reads_others.txt") if name == dialect]
    asked = [text for text in reads if not assess_sql(text, dialect).proven_read]
    assert len(reads) >= (140 if dialect not in SMALL else 110)
    assert len(asked) <= len(reads) * 0.03, asked

"""Reports of crashes: without secrets, for their owner alone, and of a fault of the last run."""

import os
import subprocess
import sys
from pathlib import Path

from desktop.config.crashes import FATAL, KEPT, keep_report, report_of, watch_for_fatal
from desktop.domain.gate.redaction import Redactor

ROOT = Path(__file__).parents[2]


def caught() -> ValueError:
    try:
        raise ValueError("could not use hunter2-is-the-word")
    except ValueError as error:
        return error


def test_a_report_has_versions_and_the_trace_and_no_secret() -> None:
    error = caught()
    text = report_of(type(error), error, error.__traceback__, Redactor({"word": "hunter2-is-the-word"}))
    assert text.startswith("Read this before you share it")
    assert "ValueError: could not use [secret word removed]" in text
    assert "in caught" in text
    assert f"Python {sys.version.split()[0]}" in text


def test_reports_are_their_owners_alone_and_the_newest_are_kept(tmp_path: Path) -> None:
    made = [keep_report(tmp_path / "logs", f"{n}") for n in range(KEPT + 3)]
    kept = sorted((tmp_path / "logs").glob("crash-*.txt"))
    assert [file.read_text() for file in kept] == [f"{n}" for n in range(3, KEPT + 3)]
    assert made[-1] == kept[-1]
    assert {file.stat().st_mode & 0o777 for file in kept} == {0o600}


def test_a_report_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    tmp_path.joinpath("logs").write_text("a file")
    assert keep_report(tmp_path / "logs", "x") is None
    assert watch_for_fatal(tmp_path / "logs") is None


def test_a_fault_of_the_last_run_is_reported_once(tmp_path: Path) -> None:
    words = (
        "import ctypes, sys; from pathlib import Path; from desktop.config.crashes import watch_for_fatal;"
        "print(watch_for_fatal(Path(sys.argv[1]))); sys.argv[2:] and ctypes.string_at(0)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def start(*more: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-c", words, str(tmp_path), *more]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    first = start("crash")
    assert first.returncode != 0
    assert (tmp_path / FATAL).stat().st_mode & 0o777 == 0o600
    second = start()
    report = Path(second.stdout.strip())
    assert "Segmentation fault" in report.read_text()
    assert start().stdout.strip() == "None"

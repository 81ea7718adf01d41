"""The program's own log through its real handler: what is in the file, who may read it, how large it gets."""

import logging
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.config.log_files import HEAD, KEPT_FILES, MAX_BYTES, LogFile, install_log_file, know_secrets
from desktop.domain.gate.redaction import Redactor

ROOT = Path(__file__).parents[2]
KEY = "sk-ant-api03-" + "aB3dE5gH7jK9mN1p" * 3
OWN = "correct-horse-battery"
logger = logging.getLogger("desktop.log_files_test")


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """The root logger as it was, whatever a test installs."""
    root, ours = logging.getLogger(), logging.getLogger("desktop")
    level = ours.level
    yield
    for handler in [handler for handler in root.handlers if isinstance(handler, LogFile)]:
        root.removeHandler(handler)
        handler.close()
    ours.setLevel(level)


def installed(folder: Path) -> LogFile:
    found = install_log_file(folder, "window")
    assert found is not None
    return found


@pytest.mark.promise("gate-K4")
def test_a_planted_key_reaches_the_log_only_as_its_mark(tmp_path: Path) -> None:
    installed(tmp_path / "logs")
    logger.warning("the service said %s", KEY)
    try:
        raise ValueError(f"bad header: {KEY}")
    except ValueError:
        logger.exception("request failed")
    text = (tmp_path / "logs" / "window.log").read_text()
    assert text.startswith(HEAD)
    assert KEY not in text
    assert text.count("[secret Anthropic key removed]") == 2
    assert "ValueError: bad header" in text


def test_values_that_become_known_later_are_removed_from_then_on(tmp_path: Path) -> None:
    log_file = installed(tmp_path)
    know_secrets(Redactor({"ROBIN": OWN}))
    logger.info("sent %s", OWN)
    assert OWN not in (tmp_path / "window.log").read_text()
    assert log_file.redactor.known_in(OWN) == ("ROBIN",)


def test_nothing_is_made_before_there_is_something_to_say(tmp_path: Path) -> None:
    installed(tmp_path)
    logging.getLogger("some.library").info("chatter")
    logger.debug("detail")
    assert not (tmp_path / "window.log").exists()
    logging.getLogger("some.library").warning("trouble")
    assert "WARNING MainThread some.library: trouble" in (tmp_path / "window.log").read_text()


@pytest.mark.skipif(os.name == "nt", reason="rights of files are POSIX")
def test_only_its_owner_reads_the_log_and_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    installed(folder)
    (folder / "window.log").write_text("older\n")
    (folder / "window.log").chmod(0o644)
    logger.warning("one")
    assert stat.S_IMODE((folder / "window.log").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / "window.log").read_text().startswith("older\n")


def test_the_log_is_bounded(tmp_path: Path) -> None:
    installed(tmp_path)
    for _ in range(400):
        logger.warning("x" * 40_000)
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["window.log", "window.log.1", "window.log.2"]
    assert len(files) == KEPT_FILES + 1
    assert all(file.stat().st_size <= MAX_BYTES for file in files)


def test_text_of_others_cannot_pose_as_a_record(tmp_path: Path) -> None:
    log_file = installed(tmp_path)
    text = "first\n2026-01-01T00:00:00.000Z INFO MainThread desktop: all is well\x1b[2J\u202e \ud800"
    record = logger.makeRecord(logger.name, logging.WARNING, __file__, 1, text, (), None)
    log_file.handle(record)  # past the test's own capture, which cannot hold a lone surrogate
    _head, first, second = (tmp_path / "window.log").read_text().splitlines()
    assert first.endswith("first")
    assert second.startswith("    2026")
    assert second.endswith("\\x1b[2J\\u202e \\ud800")


def test_installing_again_goes_on_in_the_new_folder_alone(tmp_path: Path) -> None:
    installed(tmp_path / "a")
    installed(tmp_path / "b")
    logger.warning("once")
    assert not (tmp_path / "a" / "window.log").exists()
    assert (tmp_path / "b" / "window.log").read_text().count("once") == 1


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert install_log_file(tmp_path / "file" / "logs", "window") is None
    installed(tmp_path / "logs")
    (tmp_path / "logs" / "window.log").mkdir()
    logger.warning("lost")
    assert capfd.readouterr().err == ""


def test_a_run_without_a_window_logs_to_a_file_and_not_to_the_terminal(tmp_path: Path) -> None:
    program = (
        "import logging, sys\n"
        "from pathlib import Path\n"
        "from desktop.config.log_files import install_log_file\n"
        "install_log_file(Path(sys.argv[1]), 'run')\n"
        "logging.getLogger('desktop.x').warning('token=%s', 'aB3dE5gH7jK9mN1p')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "token=[secret token removed]" in (tmp_path / "run.log").read_text()

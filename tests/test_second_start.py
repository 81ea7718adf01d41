"""A second start of the window: it opens a window in the first process, or says that this one runs."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.app import running_elsewhere
from desktop.config.folders import Folders
from desktop.config.instance import ACP_SOCKET, instance_folder, take_requests
from desktop.store.core.lock import LOCK_NAME, is_held
from desktop.store.database import open_store
from desktop.ui.theme.stylesheet import install_theme
from desktop.ui.window.dialogs.already_running import AlreadyRunningDialog
from tests.agent.rig import folders_below, make_repository
from tests.cli.running import WINDOW_PROGRAM, Finished, finish
from tests.forking import fork

ROOT = Path(__file__).parents[1]
WAIT_S = 25


def environment(home: Path, **variables: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    return {**kept, "BANKSMAN_HOME": str(home), **variables}


def begin(home: Path, *arguments: str, **variables: str) -> subprocess.Popen[str]:
    """The program from its first import."""
    return subprocess.Popen(
        [sys.executable, "-m", "desktop", *arguments], cwd=ROOT, env=environment(home, **variables),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def second_start(home: Path, *arguments: str) -> Finished:
    """The program to its end, forked from a process that has loaded Qt and the window."""
    return finish(fork(WINDOW_PROGRAM, list(arguments), ROOT, environment(home)))


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return folders_below(tmp_path / "home")


@pytest.fixture
def held(folders: Folders) -> Iterator[Path]:
    """A store whose writer is this process."""
    store = open_store(folders.store)
    yield folders.store
    store.close()


def home_of(folders: Folders) -> Path:
    return folders.data.parent


def test_the_second_start_ends_well_once_the_first_has_taken_its_request(tmp_path: Path, folders: Folders) -> None:
    repository = make_repository(tmp_path / "shop")
    first = begin(home_of(folders), str(repository), QT_QPA_PLATFORM="offscreen")
    try:
        end = time.monotonic() + WAIT_S
        while not (instance_folder(folders).exists() and is_held(folders.store / LOCK_NAME)):
            assert time.monotonic() < end, "the first start did not come about"
            time.sleep(0.05)
        second = second_start(home_of(folders), str(repository))
        assert (second.status, second.stdout, second.stderr) == (0, "", "")
        assert {one.name for one in instance_folder(folders).iterdir()} <= {ACP_SOCKET}
        assert first.poll() is None
    finally:
        first.terminate()
        first.communicate(timeout=WAIT_S)


@pytest.mark.skipif(sys.platform != "linux", reason="only there a display can be missing")
def test_a_request_that_nobody_takes_is_withdrawn_and_the_sentence_names_the_process(
    folders: Folders, held: Path
) -> None:
    second = second_start(home_of(folders))
    assert second.status == 2
    assert second.stderr == f"banksman: Banksman is already running (process {os.getpid()}).\n"
    assert take_requests(instance_folder(folders)) == []


def test_who_holds_the_chats_is_told_only_while_they_are_held(folders: Folders) -> None:
    assert running_elsewhere(folders) == ""
    store = open_store(folders.store)
    assert running_elsewhere(folders) == f"Banksman is already running (process {os.getpid()})."
    store.close()
    assert running_elsewhere(folders) == ""


def test_the_dialog_tries_again_and_lets_go(qtbot: QtBot, qapp: QApplication) -> None:
    install_theme(qapp)
    dialog = AlreadyRunningDialog("Banksman is already running (process 4711).")
    qtbot.addWidget(dialog)
    dialog.show()
    again = dialog.findChild(QPushButton, "already_running_again")
    assert again is not None
    with qtbot.waitSignal(dialog.again):
        QTest.mouseClick(again, Qt.MouseButton.LeftButton)
    assert not again.isEnabled()
    dialog.set_waiting(False)
    assert again.isEnabled()
    leave = dialog.findChild(QWidget, "already_running_quit")
    assert leave is not None
    with qtbot.waitSignal(dialog.rejected):
        QTest.mouseClick(leave, Qt.MouseButton.LeftButton)
    assert not dialog.isVisible()

"""What the program says when its window cannot start: one sentence, exit status 2."""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.config import qt_libraries
from desktop.store.database import open_store
from tests.agent.rig import make_repository
from tests.cli.running import WINDOW_PROGRAM, Finished, finish
from tests.forking import fork

ROOT = Path(__file__).parents[1]
LIMIT_S = 120
pytestmark = pytest.mark.timeout(LIMIT_S + 10)


def environment(home: Path, variables: dict[str, str]) -> dict[str, str]:
    """What a start inherits: no display but the one that is among `variables`."""
    inherited = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    return {**inherited, "BANKSMAN_HOME": str(home), **variables}


def start_anew(home: Path, *arguments: str, **variables: str) -> Finished:
    """The program from its first import to its end."""
    done = subprocess.run(
        [sys.executable, "-m", "desktop", *arguments],
        cwd=ROOT, env=environment(home, variables), capture_output=True, text=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    return Finished(done.returncode, done.stdout, done.stderr)


def start(home: Path, *arguments: str, **variables: str) -> Finished:
    """The program to its end, forked from a process that has loaded Qt and the window."""
    return finish(fork(WINDOW_PROGRAM, list(arguments), ROOT, environment(home, variables)))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "shop")


@pytest.mark.skipif(sys.platform != "linux", reason="only there a display can be missing")
@pytest.mark.parametrize(
    ("begin", "display"),
    [(start_anew, ""), (start, ":987"), (start, "nonsense"), (start, "unix:987.0")],
    ids=["none", "nobody's", "no display", "nobody's by its socket"],
)
def test_without_a_display_it_says_what_to_use_instead(
    tmp_path: Path, repository: Path, begin: Callable[..., Finished], display: str
) -> None:
    done = begin(tmp_path / "home", str(repository), DISPLAY=display)
    assert done.status == 2
    assert done.stderr.startswith("banksman: There is no display here.")
    assert "banksman run" in done.stderr
    assert not (tmp_path / "home").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="Debian packages are named")
@pytest.mark.parametrize(
    ("library", "package", "display"),
    [("libxcb-cursor.so.0", "libxcb-cursor0", "xcb"), ("libEGL.so.1", "libegl1", "offscreen")],
)
def test_a_missing_library_of_qt_is_told_in_one_sentence_with_its_package(
    tmp_path: Path, repository: Path, library: str, package: str, display: str
) -> None:
    broken = tmp_path / "lib"
    broken.mkdir()
    (broken / library).touch()
    done = start_anew(tmp_path / "home", str(repository), QT_QPA_PLATFORM=display, LD_LIBRARY_PATH=str(broken))
    assert done.status == 2
    assert done.stderr.startswith(f"banksman: Qt cannot load {library}; install the Debian package")
    assert package in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "home").exists()


def test_the_libraries_of_qt_are_those_that_are_installed_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "packaging")
    spec = importlib.util.spec_from_file_location("bootstrap", ROOT / "packaging" / "bootstrap.py")
    assert spec is not None
    assert spec.loader is not None
    bootstrap = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bootstrap)
    assert qt_libraries.OFFSCREEN_LIBRARIES == bootstrap.OFFSCREEN_LIBRARIES
    assert qt_libraries.DISPLAY_LIBRARIES == bootstrap.DISPLAY_LIBRARIES


def test_what_is_no_repository_is_named(tmp_path: Path) -> None:
    for path, words in ((tmp_path / "none", "does not exist"), (tmp_path, "is not a git repository")):
        done = start(tmp_path / "home", str(path), QT_QPA_PLATFORM="offscreen")
        assert done.status == 2
        assert done.stderr.startswith(f"banksman: '{path}' {words}.")


def test_settings_that_cannot_be_read_are_named_with_file_and_line(tmp_path: Path, repository: Path) -> None:
    file = tmp_path / "home" / "config" / "settings.toml"
    file.parent.mkdir(parents=True)
    file.write_text("default_mode = 7\n")
    done = start(tmp_path / "home", str(repository), QT_QPA_PLATFORM="offscreen")
    assert done.status == 2
    assert str(file) in done.stderr
    assert "default_mode" in done.stderr
    assert file.read_text() == "default_mode = 7\n"


def test_a_folder_that_git_refuses_ends_with_the_words_of_the_engine(tmp_path: Path) -> None:
    (tmp_path / "odd" / ".git").mkdir(parents=True)
    done = start(tmp_path / "home", str(tmp_path / "odd"), QT_QPA_PLATFORM="offscreen")
    assert done.status == 2
    assert "is not a git repository" in done.stderr


def test_an_option_that_does_not_exist_is_named(tmp_path: Path) -> None:
    done = start(tmp_path / "home", "--nope")
    assert done.status == 2
    assert "--nope" in done.stderr


def test_a_store_in_use_is_named_with_the_process_that_holds_it(tmp_path: Path, repository: Path) -> None:
    store = open_store(tmp_path / "home" / "data" / "store")
    try:
        done = start(tmp_path / "home", str(repository), QT_QPA_PLATFORM="offscreen")
    finally:
        store.close()
    assert done.status == 2
    assert str(os.getpid()) in done.stderr

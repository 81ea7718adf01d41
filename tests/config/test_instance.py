"""Asking the first process for a window: once, by its owner, and nothing else is listened to."""

import os
import threading
import time

import pytest

from desktop.config.instance import request_window, take_requests, wait_until_taken, withdraw


def test_request_is_told_once_and_is_gone_then(tmp_path):
    folder = tmp_path / "data" / "instance"
    first = request_window(folder, str(tmp_path / "shop"))
    second = request_window(folder, "")
    os.utime(first, (time.time() - 5, time.time() - 5))
    assert first.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert take_requests(folder) == [str(tmp_path / "shop"), ""]
    assert take_requests(folder) == []
    assert wait_until_taken(first, 0)
    assert wait_until_taken(second, 0)
    assert list(folder.iterdir()) == []


def test_who_asks_learns_when_nobody_takes_it(tmp_path):
    file = request_window(tmp_path / "i", "")
    assert not wait_until_taken(file, 0.1)
    withdraw(file)
    withdraw(file)
    assert take_requests(tmp_path / "i") == []


def test_who_asks_learns_when_it_is_taken(tmp_path):
    file = request_window(tmp_path / "i", "")
    taker = threading.Timer(0.1, take_requests, [tmp_path / "i"])
    taker.start()
    assert wait_until_taken(file, 10)
    taker.join()


@pytest.mark.parametrize("content", [b"", b"{", b"4", b'{"path": 4}', b"[" * 60000, b"\xff"])
def test_what_is_not_understood_asks_for_nothing(tmp_path, content):
    (tmp_path / "x.request").write_bytes(content)
    assert take_requests(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_links_old_files_and_pipes_ask_for_nothing(tmp_path):
    folder = tmp_path / "i"
    old = request_window(folder, "")
    os.utime(old, (1, 1))
    other = tmp_path / "other"
    other.write_text('{"path": "/x"}')
    (folder / "link.request").symlink_to(other)
    os.mkfifo(folder / "pipe.request")
    assert take_requests(folder) == []
    assert other.exists()
    assert list(folder.iterdir()) == []


def test_missing_folder_asks_for_nothing(tmp_path):
    assert take_requests(tmp_path / "none") == []

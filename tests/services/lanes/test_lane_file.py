"""The repository's lane file: every key, and a fault that names the key."""

from pathlib import Path

import pytest

from desktop.domain.core.errors import LaneError
from desktop.services.lanes.lane_file import INCLUDE_FILE, LANE_FILE, LaneFile, parse_lane_files, read_lane_files

WHOLE = b"""
env = {API_URL = "http://127.0.0.1", _X = ""}

[setup]
command = ["npm", "ci", "--prefix", "my app"]
timeout_s = 60
network = true

[run]
command = "npm start | tee log"

[copy]
paths = [".env", "/config/*.local"]
max_mb = 5

[ports]
count = 3

[teardown]
command = "docker compose down"
timeout_s = 30

[[tests]]
id = "unit"
command = ["pytest", "-q"]
cwd = "api"
timeout_s = 120
"""


def parse(text: str) -> LaneFile:
    return parse_lane_files({LANE_FILE: text.encode()})


def test_every_key_is_read_and_lists_of_words_become_a_line() -> None:
    read = parse_lane_files({LANE_FILE: WHOLE, INCLUDE_FILE: b"# mine\n\n*.pem\n!keep.pem\n"})
    assert read.setup.command == "npm ci --prefix 'my app'"
    assert (read.setup.timeout_s, read.setup.network) == (60, True)
    assert read.run.command == "npm start | tee log"
    assert read.patterns == (".env", "/config/*.local", "*.pem", "!keep.pem")
    assert (read.copy_.max_mb, read.ports.count, read.env["API_URL"]) == (5, 3, "http://127.0.0.1")
    assert (read.teardown.command, read.teardown.timeout_s) == ("docker compose down", 30)
    assert (read.tests[0].command, read.tests[0].cwd) == ("pytest -q", "api")
    said = " ".join(read.says())
    for part in ("“npm ci --prefix 'my app'” in each new lane, with the network", "npm start", "docker", "*.pem", "_X"):
        assert part in said


def test_nothing_written_is_all_defaults_and_says_nothing() -> None:
    read = parse("")
    assert read.says() == ()
    assert (read.setup.command, read.setup.timeout_s, read.copy_.max_mb, read.ports.count) == (None, 900, 50, 10)
    assert read.teardown.timeout_s == 60


@pytest.mark.parametrize(("text", "names"), [
    ("[setup]\ncomand = 'x'", r"unknown key 'setup.comand'"),
    ("[set]\n", r"unknown key 'set'"),
    ("include = []", r"unknown key 'include'"),
    ("copy_ = {}", r"unknown key 'copy_'"),
    ("[setup]\ncommand = []", r"setup.command"),
    ("[setup]\ncommand = '  '", r"setup.command: a command is a text"),
    ("[setup]\ncommand = ['a', 1]", r"setup.command"),
    ("[setup]\ncommand = '" + "x" * 4097 + "'", r"setup.command"),
    ("[setup]\ntimeout_s = 9", r"setup.timeout_s"),
    ("[setup]\ntimeout_s = true", r"setup.timeout_s"),
    ("[setup]\ntimeout_s = 10.0", r"setup.timeout_s"),
    ("[setup]\nnetwork = 'yes'", r"setup.network"),
    ("[teardown]\ntimeout_s = 601", r"teardown.timeout_s"),
    ("[teardown]\nnetwork = true", r"unknown key 'teardown.network'"),
    ("[copy]\npaths = '.env'", r"copy.paths"),
    ('[copy]\npaths = ["a\\nb"]', r"copy.paths.0: a pattern is one line"),
    ("[copy]\nmax_mb = 0", r"copy.max_mb"),
    ("[copy]\npaths = [" + "'a'," * 101 + "]", r"copy.paths"),
    ("[ports]\ncount = 21", r"ports.count"),
    ("[env]\nlower = 'x'", r"'lower' is no name for a variable"),
    ("[env]\nX = 1", r"env.X"),
    ("[env]\nPATH = '/evil'", r"PATH decides which programs run"),
    ("[env]\nLD_PRELOAD = '/evil.so'", r"LD_PRELOAD decides"),
    ("[env]\nGIT_DIR = '/evil'", r"GIT_DIR decides"),
    ("[env]\nBASH_ENV = '/evil'", r"BASH_ENV decides"),
    ("[env]\nBANKSMAN_LANE_ID = 'ln_other'", r"BANKSMAN_LANE_ID decides"),
    ("[[tests]]\nid = 'a'", r"tests.0.command"),
    ("x = ", r"lane.toml: Invalid value"),
    ("setup = 3", r"setup"),
])  # fmt: skip
def test_a_fault_names_the_key(text: str, names: str) -> None:
    with pytest.raises(LaneError, match=names):
        parse(text)


def test_too_many_patterns_and_bytes_that_are_no_text_are_faults() -> None:
    with pytest.raises(LaneError, match="more than 100 patterns"):
        parse_lane_files({INCLUDE_FILE: b"a\n" * 101})
    with pytest.raises(LaneError, match="not UTF-8"):
        parse_lane_files({LANE_FILE: b"\xff"})


def test_files_are_read_without_following_links(tmp_path: Path) -> None:
    assert read_lane_files(tmp_path) == {}
    (tmp_path / ".banksman").mkdir()
    (tmp_path / LANE_FILE).write_bytes(b"[ports]\n")
    (tmp_path / INCLUDE_FILE).write_bytes(b".env\n")
    assert read_lane_files(tmp_path) == {LANE_FILE: b"[ports]\n", INCLUDE_FILE: b".env\n"}
    (tmp_path / INCLUDE_FILE).unlink()
    (tmp_path / INCLUDE_FILE).symlink_to(tmp_path / LANE_FILE)
    with pytest.raises(LaneError, match=r"\.worktreeinclude: it cannot be read"):
        read_lane_files(tmp_path)
    (tmp_path / INCLUDE_FILE).unlink()
    (tmp_path / LANE_FILE).write_bytes(b"#" * (64 * 1024 + 1))
    with pytest.raises(LaneError, match="larger than 64 KiB"):
        read_lane_files(tmp_path)
    (tmp_path / LANE_FILE).unlink()
    (tmp_path / LANE_FILE).mkdir()
    with pytest.raises(LaneError, match=r"lane\.toml"):
        read_lane_files(tmp_path)

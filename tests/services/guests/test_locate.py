"""Where agents are found, and where they are not looked for."""

import hashlib
from pathlib import Path

import pytest

from desktop.services.guests.home import guest_home
from desktop.services.guests.locate import find_guest, login_path, search_path, seen_with
from desktop.services.peers.launching import PeerStartError
from tests.guest_ground import ROW, written_program


@pytest.mark.promise("guests-A12")
def test_an_agent_is_found_by_its_real_file_with_its_digest(tmp_path: Path) -> None:
    real = written_program(tmp_path / "pkg" / "node_modules" / "peer", "index.js")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "peer-acp").symlink_to(real)
    found = find_guest(ROW, str(tmp_path / "bin"))
    assert found is not None
    assert (found.program, found.real) == (str(tmp_path / "bin" / "peer-acp"), str(real))
    assert found.sha256 == hashlib.sha256(real.read_bytes()).hexdigest()
    assert seen_with(found.program, found.real) == (tmp_path / "pkg" / "node_modules",)
    real.write_text("#!/bin/sh\nother")
    again = find_guest(ROW, str(tmp_path / "bin"))
    assert again is not None
    assert again.sha256 != found.sha256


@pytest.mark.promise("guests-A34")
def test_a_program_of_a_python_environment_sees_it_and_no_more_of_the_python_below(tmp_path: Path) -> None:
    home = tmp_path / "home"
    real = written_program(home / "tools" / "peer" / "bin", "peer-acp")
    for one in ("bin/python3.13", "lib/python3.13/os.py", "lib/libpython3.13.so", "lib/notes/secret", "key"):
        (home / one).parent.mkdir(parents=True, exist_ok=True)
        (home / one).write_text("")
    environment = home / "tools" / "peer"
    (environment / "pyvenv.cfg").write_text(f"version = 3.13.0\nhome = {home / 'bin'}\n")
    library, shared = home / "lib" / "python3.13", home / "lib" / "libpython3.13.so"
    assert seen_with(str(real), str(real)) == (real, environment, home / "bin", library, shared)
    for other in ("bin", str(home), str(home / "lib" / "notes")):
        (environment / "pyvenv.cfg").write_text(f"home = {other}\n")
        assert seen_with(str(real), str(real)) == (real,)


@pytest.mark.promise("guests-A12")
def test_a_lane_and_a_relative_folder_supply_no_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = written_program(tmp_path / "lane" / "bin", "peer-acp")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "peer-acp").symlink_to(program)
    monkeypatch.chdir(tmp_path / "lane")
    for path in (str(program.parent), "bin", ".", "", str(tmp_path / "bin")):
        assert find_guest(ROW, path, (tmp_path / "lane",)) is None
    assert find_guest(ROW, str(tmp_path / "bin")) is not None


def test_agents_are_looked_for_where_the_login_shell_and_npm_have_them(tmp_path: Path) -> None:
    (tmp_path / ".profile").write_text("echo welcome\nexport PATH=/from/profile:$PATH\n")
    (tmp_path / ".npmrc").write_text("fund=false\nprefix = ${HOME}/packages\n")
    env = {"HOME": str(tmp_path), "SHELL": "/bin/sh", "PATH": "/usr/bin"}
    login = login_path(env)
    assert login.split(":")[0] == "/from/profile"
    words = search_path(login, env, (Path("/named"),)).split(":")
    assert words[:2] == ["/named", "/from/profile"]
    assert f"{tmp_path}/packages/bin" in words


@pytest.mark.parametrize("shell", ["", "sh", "/no/such/shell", "/bin/false"])
def test_without_a_login_shell_the_path_of_the_program_counts(shell: str) -> None:
    assert login_path({"SHELL": shell, "PATH": "/usr/bin"}) == "/usr/bin"


def test_a_link_is_no_home(tmp_path: Path) -> None:
    (tmp_path / "data" / "guests").mkdir(parents=True)
    (tmp_path / "data" / "guests" / "peer").symlink_to(tmp_path)
    with pytest.raises(PeerStartError, match="is a link"):
        guest_home(tmp_path / "data", "peer")
    (tmp_path / "data" / "guests" / "file").write_text("")
    with pytest.raises(PeerStartError, match="cannot be made"):
        guest_home(tmp_path / "data", "file")

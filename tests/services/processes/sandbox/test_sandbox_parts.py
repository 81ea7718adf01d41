"""What the tiers are made of: arguments, texts, filters, folders of tools, words about a failure."""

import struct
from itertools import pairwise
from pathlib import Path

import pytest

from desktop.services.processes.output import CommandOutput
from desktop.services.processes.sandbox.blocked import blocked_line, what_was_blocked
from desktop.services.processes.sandbox.bubblewrap import Bubblewrap, bubblewrap_argv, mounts_of
from desktop.services.processes.sandbox.frame import FrameFds, frame_argv, shell_argv
from desktop.services.processes.sandbox.landlock import readable_places
from desktop.services.processes.sandbox.profile import SandboxProfile, bare_profile, shown_git
from desktop.services.processes.sandbox.seatbelt import seatbelt_argv, seatbelt_text
from desktop.services.processes.sandbox.seccomp import AF_INET, AF_INET6, AF_UNIX, build_filter, filter_known
from desktop.services.processes.sandbox.tool_folders import tool_folders
from tests.agent.rig import git, make_repository


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def profile(home: Path, tmp_path: Path) -> SandboxProfile:
    lane, tool = home / "lanes" / "l", home / ".tool"
    for folder in (lane, tool, tmp_path / "temp"):
        folder.mkdir(parents=True)
    (lane / ".git").write_text("x")
    (tool / "key").write_text("x")
    return SandboxProfile(
        lane_root=lane, temp=tmp_path / "temp", hidden=(home,), readonly=(tool,), guarded=(lane / ".git",),
        masked=(tool / "key", tool / "gone"),
    )  # fmt: skip


def program(home: Path, name: str) -> Path:
    """A program below the home folder; its folder."""
    file = home / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return file.parent


# bubblewrap


def argv_of(profile: SandboxProfile, *, no_nested: bool = True) -> tuple[str, ...]:
    wrap = Bubblewrap("/usr/bin/bwrap", "bubblewrap 0.8.0", no_nested)
    fds = FrameFds(output=7, control=8, filter=9)
    frame = frame_argv("/bin/bash", fds, shell_argv("/bin/bash", "-i; exit"), later=False)
    return bubblewrap_argv(wrap, profile.network, mounts_of(profile), frame, cwd=profile.lane_root, fds=fds)


def mount_arguments(profile: SandboxProfile) -> list[str]:
    return [word for mount in mounts_of(profile) for word in mount.arguments]


@pytest.mark.promise("gate-B2")
def test_the_arguments_shut_everything_off_and_end_with_the_exact_command(profile: SandboxProfile) -> None:
    argv = argv_of(profile)
    for option in ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net",
                   "--disable-userns", "--new-session", "--die-with-parent"):  # fmt: skip
        assert option in argv
    assert argv[argv.index("--cap-drop") + 1] == "ALL"
    assert argv[argv.index("--seccomp") + 1] == "9"
    assert argv[-9:] == ("7", "8", "", "/bin/bash", "--noprofile", "--norc", "-c", "--", "-i; exit")
    assert "--disable-userns" not in argv_of(profile, no_nested=False)


def test_an_open_network_shares_the_network_and_nothing_else(profile: SandboxProfile) -> None:
    argv = argv_of(profile.model_copy(update={"network": True}))
    assert "--unshare-net" not in argv
    assert "--unshare-pid" in argv


def test_the_deeper_mount_comes_later(profile: SandboxProfile, home: Path) -> None:
    arguments = mount_arguments(profile)
    pairs = [arguments[at : at + 3] for at, word in enumerate(arguments) if word in ("--ro-bind", "--bind")]
    order = [pair[2] for pair in pairs]
    assert arguments[:3] == ["--ro-bind", "/", "/"]
    assert arguments.index("--tmpfs") < arguments.index(str(profile.lane_root))
    assert order.index(str(profile.lane_root)) < order.index(str(profile.lane_root / ".git"))
    assert ["--bind", str(profile.lane_root), str(profile.lane_root)] in pairs
    assert ["--ro-bind", str(profile.lane_root / ".git"), str(profile.lane_root / ".git")] in pairs
    assert ["--ro-bind", "/dev/null", str(home / ".tool" / "key")] in pairs
    assert str(home / ".tool" / "gone") not in order


def test_a_reading_profile_mounts_the_lane_read_only(profile: SandboxProfile) -> None:
    lane = str(profile.lane_root)
    arguments = mount_arguments(profile.reading())
    assert arguments[arguments.index(lane) - 1] == "--ro-bind"


def test_product_folders_in_a_lane_that_is_the_home_folder_stay_hidden(home: Path, tmp_path: Path) -> None:
    store = home / ".local" / "share" / "banksman"
    store.mkdir(parents=True)
    whole = SandboxProfile(lane_root=home, temp=tmp_path, hidden=(home, store))
    arguments = mount_arguments(whole)
    assert ("--tmpfs", str(store)) in pairwise(arguments)
    assert arguments.index(str(store)) > arguments.index("--bind")


# Git's folders


def test_a_worktree_shows_its_pointer_and_the_common_folder(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "shop")
    git(repository, "worktree", "add", "-q", str(tmp_path / "lane"), "-b", "lane")
    assert shown_git(tmp_path / "lane") == (tmp_path / "lane" / ".git", repository / ".git")
    assert shown_git(repository) == (repository / ".git",)
    assert shown_git(tmp_path) == ()


def test_a_pointer_that_a_command_wrote_shows_no_other_folder(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "shop")
    git(repository, "worktree", "add", "-q", str(tmp_path / "lane"), "-b", "lane")
    lane, keys = tmp_path / "lane", tmp_path / ".ssh"
    (keys / "worktrees" / "x").mkdir(parents=True)
    for pointer in (keys, keys / "worktrees" / "x", repository / ".git" / "worktrees" / "gone", lane):
        (lane / ".git").write_text(f"gitdir: {pointer}\n")
        assert shown_git(lane) == (lane / ".git",)
    (lane / ".git").unlink()
    (lane / ".git").symlink_to(keys)
    assert shown_git(lane) == ()


# Folders of tools


@pytest.mark.promise("gate-B7")
def test_tools_of_the_home_folder_are_shown_whole_and_nothing_beside_them(home: Path) -> None:
    folders = [
        program(home, ".pyenv/shims/python3"),
        program(home, ".nvm/versions/node/v22/bin/node"),
        program(home, "bin/mine"),
        program(home, ".local/bin/loose"),
        program(home, "miniconda3/bin/conda"),
        program(home, "work/project/bin/run"),
        Path("/usr/bin"),
    ]
    (home / "miniconda3" / "conda-meta").mkdir()
    (home / "work" / "project" / "lib").mkdir()
    (home / "work" / "project" / ".git").mkdir()
    found = tool_folders(":".join(map(str, folders)), home=home, hidden=(home,))
    assert set(found.readonly) == {
        home / ".pyenv", home / ".nvm/versions/node/v22", home / "bin", home / ".local/bin", home / "miniconda3",
        home / "work/project/bin",
    }  # fmt: skip
    assert found.path == ":".join(map(str, folders))


@pytest.mark.promise("gate-B7")
def test_folders_that_hold_secrets_are_never_shown(home: Path) -> None:
    folders = [program(home, name) for name in (".ssh/bin/x", ".config/yarn/bin/x", ".aws/x", ".gnupg/sbin/x")]
    (home / "x").write_text("")
    found = tool_folders(":".join(map(str, [*folders, home])), home=home, hidden=(home,))
    assert found.readonly == ()
    assert found.path == ""


def test_key_files_of_a_shown_tool_read_as_empty(home: Path) -> None:
    folder = program(home, ".cargo/bin/cargo")
    (home / ".cargo" / "credentials.toml").write_text("token")
    (home / ".rustup" / "toolchains").mkdir(parents=True)
    found = tool_folders(str(folder), home=home, hidden=(home,))
    assert found.masked == (home / ".cargo" / "credentials.toml",)
    assert home / ".rustup" / "toolchains" in found.readonly


def test_links_into_the_home_folder_show_what_they_lead_to(home: Path, tmp_path: Path) -> None:
    base = program(home, ".local/share/uv/python/cpython-3.12/bin/python3.12")
    tool = program(home, ".local/share/uv/tools/ruff/bin/ruff")
    (tool.parent / "pyvenv.cfg").write_text("")
    outside = tmp_path / "opt" / "bin"
    outside.mkdir(parents=True)
    (outside / "python").symlink_to(base / "python3.12")
    (home / ".local" / "bin").mkdir()
    (home / ".local" / "bin" / "ruff").symlink_to(tool / "ruff")
    (home / ".local" / "bin" / "leak").symlink_to(program(home, ".ssh/id_rsa") / "id_rsa")
    found = tool_folders(f"{outside}:{home / '.local' / 'bin'}", home=home, hidden=(home,))
    assert set(found.readonly) == {base.parent, tool.parent, home / ".local" / "bin"}


def test_a_link_to_a_script_of_a_private_folder_shows_the_script_alone(home: Path, tmp_path: Path) -> None:
    script = program(home, "work/private/run.sh") / "run.sh"
    (home / "work" / "private" / "plans.txt").write_text("mine")
    folder = tmp_path / "opt" / "bin"
    folder.mkdir(parents=True)
    (folder / "run").symlink_to(script)
    (folder / "loop").symlink_to("loop")
    assert tool_folders(str(folder), home=home, hidden=(home,)).readonly == (script,)


def test_the_path_inside_names_real_folders(home: Path) -> None:
    program(home, ".sdkman/java/17/bin/java")
    (home / ".sdkman/java/current").symlink_to("17")
    found = tool_folders(f"{home}/.sdkman/java/current/bin:relative:/nowhere", home=home, hidden=(home,))
    assert found.path == str(home / ".sdkman/java/17/bin")
    assert found.readonly == (home / ".sdkman/java/17",)


# The filter


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_a_filter_is_made_of_whole_instructions_whose_jumps_stay_inside(machine: str) -> None:
    for families in (None, (AF_UNIX,), (AF_UNIX, AF_INET, AF_INET6)):
        text = build_filter(families, tracing=False, machine=machine)
        count = len(text) // 8
        assert len(text) % 8 == 0
        for at in range(count):
            code, if_true, if_false, _ = struct.unpack_from("=HBBI", text, at * 8)
            if code & 7 == 5:
                assert at + 1 + max(if_true, if_false) < count


def test_machines_without_a_table_are_told_apart() -> None:
    assert filter_known("aarch64")
    assert not filter_known("riscv64")


# Landlock and seatbelt


def test_landlock_opens_everything_but_the_hidden_folders(profile: SandboxProfile, home: Path) -> None:
    (home.parent / "beside").mkdir()
    places = readable_places(profile)
    assert home.parent / "beside" in places
    assert not any(home.is_relative_to(place) for place in places)
    assert home / ".tool" not in places
    assert Path("/usr") in places


def test_seatbelt_closes_what_the_profile_hides(profile: SandboxProfile, home: Path) -> None:
    text = seatbelt_text(profile)
    assert text.index("(deny file-write*)") < text.index(f'(allow file-write* (subpath "{profile.temp}")')
    assert f'(deny file-read* (subpath "{home}"))' in text
    assert f'(deny file-write* (subpath "{profile.lane_root}/.git"))' in text
    assert "(deny network*)" in text
    assert "(deny network*)" not in seatbelt_text(profile.model_copy(update={"network": True}))
    assert seatbelt_argv(profile, ("bash", "x"))[:2] == ("/usr/bin/sandbox-exec", "-p")


def test_seatbelt_quotes_names(tmp_path: Path) -> None:
    odd = SandboxProfile(lane_root=tmp_path / 'a"b\\c', temp=tmp_path)
    assert '/a\\"b\\\\c")' in seatbelt_text(odd)


# What was blocked


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("touch: cannot touch '/etc/x': Read-only file system", "writing /etc/x"),
        ("bash: line 1: /etc/x: Read-only file system", "writing /etc/x"),
        ("error: could not write config file: Read-only file system", "writing outside the lane"),
        ("fatal: Unable to create '{lane}/.git/index.lock': Read-only file system", "changing Git's own files"),
        ("curl: (6) Could not resolve host: example.org", "the network"),
        ("npm error code EAI_AGAIN\nnpm error getaddrinfo EAI_AGAIN registry.npmjs.org", "the network"),
        ("OSError: [Errno 101] Network is unreachable", "the network"),
        ("cat: {lane}/x: Permission denied", ""),
        ("cat: /nowhere/x: Permission denied", ""),
        ("AssertionError: 1 != 2", ""),
        ("connect: Connection refused", ""),
    ],
)
def test_words_of_a_failed_command_are_read_with_care(
    profile: SandboxProfile, tmp_path: Path, text: str, said: str
) -> None:
    output = CommandOutput(tmp_path / "spill")
    output.add(f"first line\n{text.format(lane=profile.lane_root)}\n".encode())
    assert what_was_blocked(output, profile, ok=False) == said
    assert what_was_blocked(output, profile, ok=True) == ""
    assert what_was_blocked(output, bare_profile(profile.lane_root, profile.temp), ok=False) == ""


def test_an_open_network_is_not_blamed(profile: SandboxProfile, tmp_path: Path) -> None:
    output = CommandOutput(tmp_path / "spill")
    output.add(b"curl: (6) Could not resolve host: example.org\n")
    assert what_was_blocked(output, profile.model_copy(update={"network": True}), ok=False) == ""


@pytest.mark.promise("tools-T81")
def test_the_line_of_a_result_names_the_tools_for_git() -> None:
    assert blocked_line("") == ""
    assert blocked_line("the network") == "[the sandbox blocked: the network]"
    assert blocked_line("changing Git's own files") == (
        "[the sandbox blocked: changing Git's own files] Use commit_changes and push_lane."
    )

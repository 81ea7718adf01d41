"""Files of a lane: what is opened is what was judged, and a replacement happens wholly or not at all."""

import contextlib
import hashlib
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.domain.core.errors import PathError
from desktop.services.files.lane_files import LaneFiles
from desktop.services.files.places import folds_case


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def lane(tmp_path: Path) -> Path:
    root = tmp_path / "lane"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_bytes(b"old\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "app.py").write_bytes(b"secret\n")
    return root


@pytest.fixture(params=[True, False], ids=["handles", "paths"])
def files(request: pytest.FixtureRequest, lane: Path) -> LaneFiles:
    """The lane by folder handles, and as on systems without them."""
    return LaneFiles(lane, handles=request.param)


def leftovers(lane: Path) -> list[str]:
    return [path.name for path in lane.rglob("*banksman-new*")]


# Reading


def test_a_file_is_read_and_hashed(files: LaneFiles) -> None:
    facts = files.resolve("src/app.py", "read")
    assert files.read_bytes(facts) == b"old\n"
    assert files.read_bytes(facts, max_bytes=2) == b"ol"
    assert files.sha256(facts) == sha(b"old\n")
    with files.open_read(facts) as file:
        assert file.readline() == b"old\n"


def test_a_file_outside_is_read_once_it_was_judged(files: LaneFiles, lane: Path) -> None:
    facts = files.resolve("../other/app.py", "read")
    assert (facts.verdict, facts.ask, facts.rel) == ("outside", True, str(lane.parent / "other" / "app.py"))
    assert files.read_bytes(facts) == b"secret\n"


@pytest.mark.parametrize("path", ["none", "src", ".", "/", "", "~/x", "/dev/null", "src/app.py/x", "pipe"])
def test_what_is_no_readable_file_is_refused_with_a_sentence(files: LaneFiles, lane: Path, path: str) -> None:
    os.mkfifo(lane / "pipe")
    with pytest.raises(PathError, match=r"'.*\.$"):
        files.read_bytes(files.resolve(path, "read"))


def test_a_folder_exchanged_for_a_link_is_not_followed(files: LaneFiles, lane: Path) -> None:
    facts = files.resolve("src/app.py", "read")
    (lane / "src").rename(lane / "moved")
    (lane / "src").symlink_to("../other")
    with pytest.raises(PathError):
        files.read_bytes(facts)


def test_a_file_exchanged_for_a_link_or_another_file_is_not_read(files: LaneFiles, lane: Path) -> None:
    facts = files.resolve("src/app.py", "read")
    (lane / "src" / "app.py").rename(lane / "kept.py")
    (lane / "src" / "app.py").symlink_to("../kept.py")
    with pytest.raises(PathError):
        files.read_bytes(facts)
    (lane / "src" / "app.py").unlink()
    (lane / "src" / "app.py").write_bytes(b"another\n")
    with pytest.raises(PathError, match="changed on disk"):
        files.read_bytes(facts)
    (lane / "src" / "app.py").unlink()
    os.mkfifo(lane / "src" / "app.py")
    with pytest.raises(PathError, match="not a regular file"):
        files.read_bytes(facts)


def test_a_lane_put_in_anothers_place_is_noticed(files: LaneFiles, lane: Path) -> None:
    read, write = files.resolve("src/app.py", "read"), files.resolve("src/app.py", "write")
    assert not files.moved
    lane.rename(lane.with_name("away"))
    assert files.moved
    assert files.resolve("src/app.py", "read").verdict == "invalid"
    lane.mkdir()
    (lane / "src").mkdir()
    (lane / "src" / "app.py").write_bytes(b"old\n")
    assert files.moved
    assert "not the one" in files.resolve("src/app.py", "read").reason
    with pytest.raises(PathError, match="not the one"):
        files.read_bytes(read)
    with pytest.raises(PathError, match="not the one"):
        files.replace(write, b"new", expect_sha256=sha(b"old\n"))


def test_a_lane_that_does_not_exist_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(PathError, match="does not exist"):
        LaneFiles(tmp_path / "none")


def test_the_lane_has_a_name(lane: Path) -> None:
    assert LaneFiles(lane).name == "lane"
    assert LaneFiles(lane, name="fix-login").name == "fix-login"


# Replacing


def test_a_file_is_replaced_and_keeps_its_mode(files: LaneFiles, lane: Path) -> None:
    (lane / "src" / "app.py").chmod(0o751)
    files.replace(files.resolve("src/app.py", "write"), b"new\n", expect_sha256=sha(b"old\n"))
    assert (lane / "src" / "app.py").read_bytes() == b"new\n"
    assert stat.S_IMODE((lane / "src" / "app.py").stat().st_mode) == 0o751
    assert leftovers(lane) == []


def test_a_new_file_gets_its_folders_and_plain_rights(files: LaneFiles, lane: Path) -> None:
    before = os.umask(0o077)
    try:
        files.replace(files.resolve("a/b/new.py", "write"), b"x", expect_sha256=None)
    finally:
        os.umask(before)
    assert (lane / "a" / "b" / "new.py").read_bytes() == b"x"
    assert stat.S_IMODE((lane / "a" / "b" / "new.py").stat().st_mode) == 0o644
    files.replace(files.resolve("run.sh", "write"), b"#!", expect_sha256=None, mode=0o755)
    assert stat.S_IMODE((lane / "run.sh").stat().st_mode) == 0o755


@pytest.mark.promise("gate-P4")
def test_a_link_stays_and_its_target_is_replaced(files: LaneFiles, lane: Path) -> None:
    (lane / "link").symlink_to("src/app.py")
    facts = files.resolve("link", "write")
    assert facts.via_symlink == "link → src/app.py"
    files.replace(facts, b"new\n", expect_sha256=sha(b"old\n"))
    assert (lane / "link").is_symlink()
    assert (lane / "src" / "app.py").read_bytes() == b"new\n"


@pytest.mark.promise("gate-P9")
def test_an_edit_made_in_between_is_not_overwritten(files: LaneFiles, lane: Path) -> None:
    facts = files.resolve("src/app.py", "write")
    (lane / "src" / "app.py").write_bytes(b"edited by a person\n")
    with pytest.raises(PathError, match="changed on disk"):
        files.replace(facts, b"new\n", expect_sha256=sha(b"old\n"))
    assert (lane / "src" / "app.py").read_bytes() == b"edited by a person\n"
    assert leftovers(lane) == []


def test_an_edit_made_while_the_new_content_is_written_is_not_overwritten(files: LaneFiles, lane: Path) -> None:
    target = lane / "src" / "app.py"
    facts = files.resolve("src/app.py", "write")

    def edit_once_the_writing_began() -> None:
        while not leftovers(lane):
            pass
        target.write_bytes(b"edited by a person\n")

    person = threading.Thread(target=edit_once_the_writing_began)
    person.start()
    with pytest.raises(PathError, match="changed on disk"):
        files.replace(facts, b"x" * 64_000_000, expect_sha256=sha(b"old\n"))
    person.join()
    assert target.read_bytes() == b"edited by a person\n"
    assert leftovers(lane) == []


def test_a_file_with_the_same_content_but_another_identity_is_not_replaced(files: LaneFiles, lane: Path) -> None:
    facts = files.resolve("src/app.py", "write")
    (lane / "src" / "app.py").rename(lane / "kept")
    (lane / "src" / "app.py").write_bytes(b"old\n")
    with pytest.raises(PathError, match="changed on disk"):
        files.replace(facts, b"new\n", expect_sha256=sha(b"old\n"))


@pytest.mark.parametrize("become", ["file", "gone", "folder", "link", "second name"])
def test_a_target_that_became_something_else_is_left_alone(files: LaneFiles, lane: Path, become: str) -> None:
    target = lane / ("new.py" if become == "file" else "src/app.py")
    facts = files.resolve(str(target), "write")
    if become == "file":
        target.write_bytes(b"theirs\n")
    elif become == "second name":
        (lane / "again").hardlink_to(target)
    else:
        target.unlink()
        if become == "folder":
            target.mkdir()
        elif become == "link":
            target.symlink_to("../../other/app.py")
    with pytest.raises(PathError):
        files.replace(facts, b"new\n", expect_sha256=None if become == "file" else sha(b"old\n"))
    assert (lane.parent / "other" / "app.py").read_bytes() == b"secret\n"
    assert leftovers(lane) == []
    if become == "file":
        assert target.read_bytes() == b"theirs\n"


def test_a_parent_exchanged_for_a_link_gets_no_file(files: LaneFiles, lane: Path) -> None:
    facts = files.resolve("src/new.py", "write")
    (lane / "src").rename(lane / "moved")
    (lane / "src").symlink_to("../other")
    with pytest.raises(PathError):
        files.replace(facts, b"x", expect_sha256=None)
    assert not (lane.parent / "other" / "new.py").exists()


def test_folders_made_for_a_file_that_failed_are_taken_away(files: LaneFiles, lane: Path) -> None:
    facts = files.resolve("a/b/new.py", "write")
    with pytest.raises(PathError):
        files.replace(facts, b"x", expect_sha256=sha(b"was never there"))
    assert not (lane / "a").exists()


@pytest.mark.parametrize(
    ("path", "op"), [("src/app.py", "read"), (".git/config", "write"), ("../x", "write"), ("src", "write")]
)
def test_only_what_was_judged_for_writing_is_written(files: LaneFiles, path: str, op) -> None:
    with pytest.raises(PathError, match="cannot be written"):
        files.replace(files.resolve(path, op), b"x", expect_sha256=None)


def test_a_hard_link_that_a_person_allowed_gets_a_file_of_its_own(files: LaneFiles, lane: Path) -> None:
    (lane / "again").hardlink_to(lane / "src" / "app.py")
    facts = files.resolve("again", "write")
    assert (facts.hard_link, facts.ask, facts.nlink) == (True, True, 2)
    files.replace(facts, b"new\n", expect_sha256=sha(b"old\n"))
    assert (lane / "src" / "app.py").read_bytes() == b"old\n"


def test_a_full_disk_leaves_the_old_file(files: LaneFiles, lane: Path) -> None:
    resource = pytest.importorskip("resource")
    facts = files.resolve("src/app.py", "write")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(PathError):
            files.replace(facts, b"x" * 100_000, expect_sha256=sha(b"old\n"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, previous)
    assert (lane / "src" / "app.py").read_bytes() == b"old\n"
    assert leftovers(lane) == []


@contextlib.contextmanager
def ordinary_user() -> Iterator[Path]:
    """A lane of somebody who is not root."""
    user = os.geteuid()
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        if user == 0:
            os.seteuid(65534)
        try:
            root = Path(folder) / "lane"
            (root / "shut").mkdir(parents=True)
            (root / "shut" / "x").write_text("x")
            yield root
        finally:
            (root / "shut").chmod(0o755)
            os.seteuid(user)


def test_what_may_not_be_entered_counts_as_missing_and_is_not_opened() -> None:
    with ordinary_user() as root:
        files = LaneFiles(root)
        before = files.resolve("shut/x", "read")
        (root / "shut").chmod(0)
        assert files.resolve("shut/x", "read").kind == "missing"
        assert files.resolve("/root/.ssh/id_rsa", "read").verdict == "outside"
        with pytest.raises(PathError, match="Permission denied"):
            files.read_bytes(before)
        with pytest.raises(PathError, match="Permission denied"):
            files.replace(files.resolve("shut/new", "write"), b"x", expect_sha256=None)


def test_a_folder_that_cannot_be_listed_still_takes_a_file() -> None:
    with ordinary_user() as root:
        (root / "shut").chmod(0o333)
        files = LaneFiles(root)
        files.replace(files.resolve("shut/new", "write"), b"new", expect_sha256=None)
        assert (root / "shut" / "new").read_bytes() == b"new"


WRITER = """
import hashlib, sys
from pathlib import Path
from desktop.services.files.lane_files import LaneFiles
files = LaneFiles(Path(sys.argv[1]))
print("ready", flush=True)
letter = 0
while True:
    facts = files.resolve("src/app.py", "write")
    letter = (letter + 1) % 26
    files.replace(facts, bytes([97 + letter]) * 500_000, expect_sha256=files.sha256(facts))
"""


@pytest.mark.promise("gate-P9")
def test_a_kill_leaves_the_old_or_the_new_file_whole(lane: Path) -> None:
    (lane / "src" / "app.py").write_bytes(b"a" * 500_000)
    for delay in (0.0, 0.011, 0.023, 0.041):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(lane)], stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(delay)
            child.kill()
        content = (lane / "src" / "app.py").read_bytes()
        assert len(content) == 500_000
        assert len(set(content)) == 1


# Places


@pytest.mark.promise("gate-P6")
def test_reference_folders_are_read_without_asking_and_never_written(lane: Path) -> None:
    files = LaneFiles(lane, references=(lane.parent / "other", lane.parent / "none"))
    facts = files.resolve("../other/app.py", "read")
    assert (facts.verdict, facts.ask, facts.deny) == ("reference", False, False)
    assert files.read_bytes(facts) == b"secret\n"
    assert files.resolve("../other", "list").verdict == "reference"
    write = files.resolve("../other/app.py", "write")
    assert (write.verdict, write.deny) == ("outside", True)
    (lane.parent / "other" / ".env").write_text("K=1")
    secret = files.resolve("../other/.env", "read")
    assert (secret.verdict, secret.class_, secret.ask) == ("protected", "secret", True)


def test_a_reference_inside_the_lane_or_around_it_changes_nothing_for_the_lane(lane: Path) -> None:
    around = LaneFiles(lane, references=(lane.parent,))
    assert around.resolve("src/app.py", "write").verdict == "inside"
    assert around.resolve("../other/app.py", "read").verdict == "reference"


def test_the_products_own_folders_are_closed_in_any_spelling(tmp_path: Path) -> None:
    data = tmp_path / "Data"
    root = data / "lanes" / "one"
    root.mkdir(parents=True)
    (data / "store").mkdir()
    (data / "store" / "events.db").write_text("x")
    files = LaneFiles(root, own_folders=(data, tmp_path / "config"))
    assert files.resolve("a.py", "write").verdict == "inside"
    for path in ("../../store/events.db", str(data / "store" / "events.db"), "../two/x", f"{tmp_path}/data/store/x"):
        for op in ("read", "list", "write", "delete"):
            facts = files.resolve(path, op)
            assert (facts.verdict, facts.class_, facts.deny) == ("outside", "own", True), facts
    assert files.resolve("../../../config/settings.toml", "read").deny


def test_a_product_folder_inside_a_lane_or_a_reference_stays_closed(lane: Path) -> None:
    own = lane / "src"
    facts = LaneFiles(lane, own_folders=(own,)).resolve("src/app.py", "read")
    assert (facts.verdict, facts.class_, facts.deny) == ("protected", "own", True)
    other = lane.parent / "other"
    deep = LaneFiles(lane, references=(lane.parent,), own_folders=(other,)).resolve("../other/app.py", "read")
    assert (deep.class_, deep.deny) == ("own", True)


def test_the_folders_behind_a_worktree_belong_to_git(tmp_path: Path) -> None:
    def git(*words: str, cwd: Path) -> None:
        done = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
        subprocess.run(done, cwd=cwd, check=True, capture_output=True, env={**os.environ, "HOME": str(tmp_path)})

    main = tmp_path / "main"
    main.mkdir()
    git("init", "-q", "--separate-git-dir", str(main / "gitdata"), ".", cwd=main)
    git("commit", "-q", "--allow-empty", "-m", "x", cwd=main)
    git("worktree", "add", "-q", str(tmp_path / "tree"), cwd=main)
    files = LaneFiles(main)
    for path in ("gitdata/hooks/pre-commit", "gitdata/config", "gitdata/worktrees/tree/HEAD", ".git"):
        facts = files.resolve(path, "write")
        assert (facts.verdict, facts.class_, facts.deny) == ("protected", "git", True), facts
    assert files.resolve("gitdata/HEAD", "read").verdict == "inside"
    assert files.resolve("gitdata/config", "read").ask
    tree = LaneFiles(tmp_path / "tree", references=(main,))
    assert tree.resolve("../main/gitdata/config", "read").class_ == "git"
    assert tree.resolve("../main/gitdata/config", "read").ask
    assert tree.resolve("../main/gitdata/worktrees/tree/HEAD", "read").class_ == "git"


@pytest.mark.parametrize(
    "pointer", ["", "nonsense", "gitdir:", "gitdir: none", "\xff\xfe", "gitdir: a\0b", "gitdir: loop/x"]
)
def test_a_broken_pointer_to_git_harms_nothing(lane: Path, pointer: str) -> None:
    (lane / "loop").symlink_to("loop")
    (lane / ".git").write_text(pointer, encoding="latin-1")
    files = LaneFiles(lane)
    assert files.resolve("src/app.py", "write").verdict == "inside"
    assert files.resolve(".git", "write").deny


def test_a_git_link_in_circles_harms_nothing(lane: Path) -> None:
    (lane / ".git").symlink_to(".git")
    files = LaneFiles(lane)
    assert files.resolve("src/app.py", "write").verdict == "inside"
    assert files.resolve(".git", "write").deny


def test_a_pointer_rewritten_later_closes_one_more_folder(lane: Path) -> None:
    files = LaneFiles(lane)
    (lane / ".git").write_text("gitdir: src\n")
    assert files.resolve("src/app.py", "write").class_ == "git"


def test_what_git_would_take_for_a_repository_is_closed(lane: Path) -> None:
    files = LaneFiles(lane)
    (lane / "b" / "objects").mkdir(parents=True)
    (lane / "b" / "refs").mkdir()
    assert files.resolve("b/README", "write").verdict == "inside"
    assert files.resolve("b/HEAD", "write").class_ == "git"
    assert files.resolve("b/head", "write").class_ == "git"
    (lane / "b" / "HEAD").write_text("ref: refs/heads/main\n")
    assert files.resolve("b/config", "write").deny
    assert files.resolve("b/config", "read").ask
    assert files.resolve("b/HEAD", "read").verdict == "inside"
    assert files.resolve("b", "delete").deny
    (lane / "w").mkdir()
    (lane / "w" / "HEAD").write_text("x")
    assert files.resolve("w/commondir", "write").class_ == "git"
    assert files.resolve("w/x", "write").verdict == "inside"


def test_a_lane_that_holds_such_names_beside_its_own_git_stays_open(lane: Path) -> None:
    for name in ("HEAD", "objects", "refs"):
        (lane / name).mkdir()
    assert LaneFiles(lane).resolve("src/app.py", "write").class_ == "git"
    (lane / ".git").mkdir()
    assert LaneFiles(lane).resolve("src/app.py", "write").verdict == "inside"


def test_links_with_a_protected_name_are_judged_by_that_name_too(lane: Path) -> None:
    (lane / ".env").symlink_to("src/app.py")
    (lane / ".husky").symlink_to("src")
    (lane / "h").symlink_to(".husky/app.py")
    files = LaneFiles(lane)
    assert files.resolve(".env", "read").class_ == "secret"
    assert files.resolve(".husky/app.py", "write").class_ == "guarded"
    assert files.resolve("h", "write").class_ == "guarded"
    assert files.resolve("src/app.py", "write").verdict == "inside"
    assert files.resolve(f"{lane}/.env", "read").class_ == "secret"
    assert files.resolve("src/../.env", "read").class_ == "secret"


@pytest.mark.promise("gate-P7")
def test_invisible_characters_do_not_hide_a_protected_name(lane: Path) -> None:
    files = LaneFiles(lane)
    assert files.resolve(".g\u200bit/config", "write").class_ == "git"
    assert files.resolve(".e\u200bnv", "read").class_ == "secret"
    assert files.resolve("s\u200brc/app.py", "read").verdict == "invalid"


@pytest.mark.parametrize(
    ("path", "verdict"),
    [
        ("src\\app.py", "inside"),
        ("src\\..\\src\\app.py", "inside"),
        ("..\\other\\app.py", "outside"),
        ("C:\\Windows", "outside"),
        ("C:x", "outside"),
        ("c:/x", "outside"),
        (".git\\config", "protected"),
        ("ab:c", "invalid"),
    ],
)
def test_paths_are_split_as_on_windows_where_that_holds(lane: Path, path: str, verdict: str) -> None:
    assert LaneFiles(lane, windows=True).resolve(path, "write").verdict == verdict


def test_a_link_to_another_drive_is_not_followed(lane: Path) -> None:
    (lane / "d").symlink_to("D:\\x")
    (lane / "u").symlink_to("\\\\host\\share")
    files = LaneFiles(lane, windows=True)
    assert files.resolve("d", "read").deny
    assert files.resolve("u", "read").deny


@pytest.mark.promise("gate-P11")
def test_names_that_differ_in_case_are_two_files_here(lane: Path) -> None:
    files = LaneFiles(lane)
    folds = (lane / "SRC").exists()
    assert (files.key("A.txt") == files.key("a.txt")) == folds
    assert not folds_case(Path("/"))


@pytest.mark.promise("gate-P11")
def test_case_is_told_by_the_folders_name_when_it_is_empty(tmp_path: Path) -> None:
    (tmp_path / "ab").mkdir()
    (tmp_path / "123").mkdir()
    assert folds_case(tmp_path / "ab") == (tmp_path / "AB").exists()
    assert not folds_case(tmp_path / "123")
    (tmp_path / "ab" / "1").write_text("")
    assert folds_case(tmp_path / "ab") == (tmp_path / "AB").exists()
    (tmp_path / "ab" / "x").write_text("")
    if not (tmp_path / "ab" / "X").exists():
        (tmp_path / "ab" / "X").hardlink_to(tmp_path / "ab" / "x")
        assert not folds_case(tmp_path / "ab")


@given(st.text(max_size=30), st.sampled_from(["read", "list", "write", "delete"]))
@settings(deadline=None)
def test_resolving_never_raises(path: str, op) -> None:
    with TemporaryDirectory() as folder:
        facts = LaneFiles(Path(folder)).resolve(path, op)
        assert facts.raw == path
        assert facts.verdict in {"inside", "outside", "protected", "invalid"}
        assert facts.reason or facts.verdict == "inside"

"""What is proven when the files of the lane are known: globs, scans, links, other repositories and the PATH."""

import pytest

from desktop.policy.paths import PathFacts, PathOp
from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.globs import literal
from desktop.policy.shell.read.world import TextWorld
from desktop.policy.shell.verdict import ShellVerdict


class KnownLane(TextWorld):
    """A lane whose files are known by a list, with what else a disk could tell."""

    on_disk = True

    def __init__(
        self,
        *files: str,
        secret: bool = False,
        link_out: bool = False,
        foreign: str = "",
        fault: str = "",
        programs: bool = True,
    ) -> None:
        super().__init__()
        self.files = files
        self.secret, self.link_out, self.foreign, self.fault, self.programs = secret, link_out, foreign, fault, programs

    def resolve(self, path: str, op: PathOp) -> PathFacts:
        """A name without a dot is a folder."""
        facts = super().resolve(path, op)
        folder = facts.verdict == "inside" and "." not in path.rpartition("/")[2]
        return facts.model_copy(update={"kind": "dir"}) if folder else facts

    def expand(self, pattern: str, folder: str) -> tuple[str, ...] | None:
        """`*` stands for every file, `?` for none; anything else is more than may be looked at."""
        if pattern == "*":
            return self.files
        return () if pattern == "?" else None

    def knows_program(self, name: str) -> bool:
        return self.programs

    def secret_below(self, folder: str) -> bool:
        return self.secret

    def link_out_below(self, folder: str) -> bool:
        return self.link_out

    def lane_file(self, name: str) -> bool:
        return name in self.files

    def git_fault(self) -> str:
        return self.fault

    def own_repository(self, path: str) -> bool:
        return path != self.foreign


def judged(line: str, world: TextWorld, cwd: str = ".") -> ShellVerdict:
    return assess_shell(line, world, cwd=cwd)


def code(line: str, world: TextWorld) -> str:
    return judged(line, world).code


def test_a_glob_stands_for_the_files_that_it_fits() -> None:
    verdict = judged("cat *", KnownLane("a.py", "b.py"))
    assert verdict.proven_read
    assert {path.path for path in verdict.paths} == {"*", "a.py", "b.py"}


def test_a_glob_that_fits_nothing_stays_as_it_is() -> None:
    assert judged("cat ?", KnownLane("a.py")).proven_read


@pytest.mark.promise("gate-S10")
def test_a_glob_that_fits_a_secret_file_is_not_proven() -> None:
    assert code("cat *", KnownLane("a.py", ".env")) == "path"


def test_a_glob_that_looks_where_it_may_not_is_not_proven() -> None:
    assert code("cat x*", KnownLane("a.py")) == "glob"


def test_a_file_that_reads_as_an_option_keeps_a_glob_from_being_proven() -> None:
    assert code("cat *", KnownLane("-n", "a.py")) == "glob"
    assert judged("cat -- *", KnownLane("-n", "a.py")).proven_read


def test_matches_of_globs_are_counted_over_the_whole_line() -> None:
    many = KnownLane(*(f"f{n}.py" for n in range(600)))
    assert judged("cat *", many).proven_read
    assert code("cat *; cat *", many) == "glob"


def test_a_glob_in_a_folder_that_is_not_known_is_not_proven() -> None:
    assert code("cd a/b || ls; cat *", KnownLane("a.py")) != "proven_read"


def test_a_glob_may_not_give_one_operand_too_many() -> None:
    assert code("uniq *", KnownLane("a.py")) == "glob"


def test_a_value_of_an_option_is_no_glob() -> None:
    assert code("head -n 1?* a.py", TextWorld()) == "option"
    assert code("git log --author a?", TextWorld()) == "option"


def test_a_pattern_is_no_glob() -> None:
    assert code("grep ?a b.py", TextWorld()) == "glob"
    assert code("git grep a?b", TextWorld()) == "glob"


@pytest.mark.promise("gate-S11")
def test_a_scan_is_not_proven_over_secrets() -> None:
    for line in ("grep -r x .", "rg x", "diff -r a b", "git grep x"):
        assert judged(line, KnownLane()).proven_read, line
        assert code(line, KnownLane(secret=True)) == "secret_below", line


def test_a_scan_of_gits_own_folder_is_not_proven() -> None:
    for line in (
        "grep -r url .git",
        "rg url src/../.git/",
        "find .git -type f -exec cat {} +",
        "find .git | xargs cat",
    ):
        assert code(line, KnownLane()) == "path", line
    for line in ("find .git -name HEAD", "grep -r x src", "ls .git"):
        assert judged(line, KnownLane()).proven_read, line


@pytest.mark.promise("gate-S11")
def test_a_scan_is_not_proven_over_a_link_that_leads_out() -> None:
    for line in ("grep -R x .", "diff -r a b", "ls -RL", "ls -RH", "ls -L"):
        assert judged(line, KnownLane()).proven_read, line
        assert code(line, KnownLane(link_out=True)) == "link_out", line


@pytest.mark.promise("gate-S14")
def test_git_is_proven_in_the_own_repository_only() -> None:
    assert code("git log sub", KnownLane(foreign="sub")) == "git_config"
    assert code("git log", KnownLane(foreign=".")) == "git_config"
    assert code("git log", KnownLane(fault="core.pager in .git/config")) == "git_config"
    assert judged("git log sub", KnownLane(foreign="other")).proven_read


def test_a_program_that_is_not_on_the_path_is_not_proven() -> None:
    assert code("cat a.py", KnownLane(programs=False)) == "program"
    assert judged("echo a", KnownLane(programs=False)).proven_read


def test_a_tool_chain_that_a_file_of_the_lane_chooses_is_not_proven() -> None:
    assert judged("cargo --version", KnownLane()).proven_read
    assert code("cargo --version", KnownLane("rust-toolchain.toml")) == "program"


def test_the_program_is_no_glob() -> None:
    assert code("l* a", KnownLane()) == "program"


def test_a_part_of_a_path_is_literal_without_a_wildcard_that_counts() -> None:
    assert literal("a\\*b") == "a*b"
    assert literal("a.py") == "a.py"
    assert literal("a*") is None


def test_an_option_behind_an_operand_is_a_file_for_some_programs() -> None:
    assert code("xxd a.py -l 5", KnownLane()) == "option"
    assert judged("xxd -l 5 a.py", KnownLane()).proven_read

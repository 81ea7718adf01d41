"""What is proven of programs that xargs and find start with names of files."""

import pytest

from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.programs.names import finds_files_only
from desktop.policy.shell.read.world import TextWorld
from tests.policy.shell.test_lane_with_files import KnownLane

PROVEN = r"""
find . -type f -name '*.go' | xargs grep -l "a\|b" | head -20
find src -name '*.py' ! -name '*_test.py' | xargs wc -l
find . -name '*.py' -print0 | xargs -0 grep -n x
find . -type f 2>/dev/null | grep -v node_modules | sort | head -5 | xargs -n 1 head -3
find . -name x | xargs -r -n1 -P 4 -L 1 cat
find . -name x | xargs -I{} grep -n foo {}
find . -name x | xargs -I {} sed -n '1,5p' {}
find . -name x | tail -n 3 | uniq | xargs ls -la
rg -l foo src | xargs wc -l
rg --files -g '*.py' | xargs grep -c x
rg -l -0 foo | xargs -0 head -n 5
grep -rl foo . | xargs sed -n 1p
grep -rl -e foo --include='*.py' src | grep -E -v -e test | xargs -r0 cat
find . -name x -exec grep -l foo {} \;
find src lib -type f -exec wc -l {} +
find . -name '*.md' -exec head -5 {} \; -print
find . -exec basename {} \;
find . -exec ls -la '{}' ';'
ls -R | grep ":$" | head -n 20
grep -n "a$\|b$|c$)" x
grep "x$ y$/$." a
echo {} a
""".strip().splitlines()
PROVEN.remove("grep -rl -e foo --include='*.py' src | grep -E -v -e test | xargs -r0 cat")
PROVEN.append("grep -rl -e foo --include='*.py' src | grep -E -v -e test | xargs --no-run-if-empty cat")

NOT_PROVEN = r"""
find p '1e id' -maxdepth 0 -exec sed -n {} p \;
find p s -type f -exec sed -n {} p ';'
find p s -type f | xargs -I{} sed -n {} p
find p s -type f | xargs -I{} sed -n -e {} p
xargs
xargs ls
xargs cat < list
ls | xargs cat
echo /etc/passwd | xargs cat
cat list | xargs cat
git ls-files | xargs cat
printf x | xargs grep a
find . | xargs
find . | xargs rm
find . | xargs sh -c 'x'
find . | xargs -I{} sh -c '{}'
find . | xargs -I{} cat a{}
find . | xargs -I % cat %
find . | xargs -Ix cat x
find . | xargs -a list cat
find . | xargs -d '\n' cat
find . | xargs -0 cat
find . -print0 | xargs cat
find . -print0 | xargs -n10 cat
find . -print0 | sort | xargs -0 cat
find . | xargs -n x cat
find . | xargs -n
find . | xargs -I
find . | xargs --arg-file=x cat
find . | xargs -p cat
find . | xargs grep
find . | xargs grep -f
find . | xargs grep -f pat x
find . | xargs head -n
find . | xargs sed -n
find . | xargs sed -i p
find . | xargs sed 'w x'
find . | xargs sort -o
find . | xargs sort -o x
find . | xargs cat /etc/passwd
find . | xargs uniq
find . | xargs xxd
find . | xargs tee
find . | xargs xargs cat
find . | xargs find
find . | xargs git show
find . | xargs awk 1
find . | xargs -*
find . | sed s/^/x/ | xargs cat
find . | cut -d/ -f2 | xargs cat
find . | head -c 5 | xargs cat
find . | sort -o x | xargs cat
find . | grep -o x | xargs cat
find . | grep x a | xargs cat
find . | uniq -c | xargs cat
find . | sort a | xargs cat
find . | cat | xargs cat
find . 2>&1 | xargs cat
find . >/dev/null | xargs cat
find . -printf '/etc/passwd\n' | xargs cat
find . -ls | xargs cat
find . -exec echo {} \; | xargs cat
find /etc | xargs cat
find .. | xargs cat
find 'a b' | xargs cat
find src/* | xargs cat
rg foo | xargs cat
rg -l foo 'a b' | xargs cat
rg -l --stats foo | xargs cat
rg -c foo | xargs cat
rg --json -l foo | xargs cat
grep -l foo * | xargs cat
grep -r foo . | xargs cat
grep -rlo foo . | xargs cat
grep -Rl foo . | xargs cat
find . | (xargs cat)
find .; xargs cat
find . && xargs cat
find . -exec
find . -exec \;
find . -exec cat \;
find . -exec rm {} \;
find . -exec sh -c 'x' {} \;
find . -exec cat {}
find . -exec cat {} + x
find . -exec cat a{} \;
find . -exec grep {} \;
find . -exec grep -f {} \;
find . -exec grep -f x {} \;
find . -exec sed -i p {} +
find . -exec head -n {} \;
find . -exec cat /etc/passwd {} \;
find . -execdir cat {} \;
find . -ok cat {} \;
find . -exec cat {} \; -delete
find . -exec cat * {} \;
find . -exec sort -o {} {} \;
find /etc -exec cat {} \;
{} a
echo "a$[1]"
echo "$'x'"
""".strip().splitlines()


@pytest.mark.parametrize("line", PROVEN)
def test_readers_of_the_lanes_own_files_are_proven(line: str) -> None:
    verdict = assess_shell(line, TextWorld())

    assert (verdict.code, verdict.fragment) == ("proven_read", "")


@pytest.mark.parametrize("line", NOT_PROVEN)
def test_what_could_run_or_read_more_is_not_proven(line: str) -> None:
    assert not assess_shell(line, TextWorld()).proven_read


class OddLane(KnownLane):
    """A lane with a name that xargs would take for something else."""

    def odd_name_below(self, folder: str) -> bool:
        return True


def test_names_that_mean_more_to_xargs_are_asked_about() -> None:
    for line in ("find . | xargs cat", "rg -l x | xargs cat", "rg -l -0 x | xargs -0 cat", "find src /x | xargs cat"):
        assert not assess_shell(line, OddLane()).proven_read, line
    for line in ("find . -print0 | xargs -0 cat", "find . -exec cat {} +"):
        assert assess_shell(line, OddLane(link_out=False)).proven_read, line


def test_what_is_handed_on_is_scanned_for_secrets_and_links_out() -> None:
    for line in ("find . -type f | xargs cat", "find . -type f -exec cat {} +", "rg -l x | xargs cat"):
        assert assess_shell(line, KnownLane(secret=True)).code == "secret_below", line
        assert assess_shell(line, KnownLane(link_out=True)).proven_read, line
    for line in ("find . | xargs cat", "find . -exec cat {} +"):
        assert assess_shell(line, KnownLane(link_out=True)).code == "link_out", line
    assert assess_shell("find . | xargs basename", KnownLane(secret=True)).proven_read


@pytest.mark.parametrize(
    ("tests", "only"),
    [
        ("-type f", True), ("-type f ( -name a -o -name b )", True), ("-name a -type f", True), ("", False),
        ("-type f -o -name x", False), ("! -type f", False), ("-not -type f", False), ("( -type f )", False),
        ("-name x -o -type f", False), ("( -name x -o -name ) -type f )", False), ("-name -type f", False),
        ("-type f , -name x", False), ("-type d", False), ("-maxdepth 1 -type f -newer a", True), ("-name", False),
        ("-exec cat {} ; -type f", False), ("-exec echo -type f ; -exec cat {} ;", False), ("-print -type f", False),
        ("( -exec cat {} ; ) -type f", False), ("-type f -exec cat {} ; -o -exec ls {} ;", False),
        ("-type f -exec grep -o a {} + -print", True), ("-exec echo {}", False), ("-type f ( -print )", True),
    ],
)  # fmt: skip
def test_only_files_are_found_where_every_way_asks_for_files(tests: str, only: bool) -> None:
    assert finds_files_only(tests.split()) is only

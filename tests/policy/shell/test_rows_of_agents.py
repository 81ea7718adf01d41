"""The options and programs with which agents read, each in the forms that only read and in those that do more."""

import pytest

from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.world import TextWorld
from tests.policy.shell.test_lane_with_files import KnownLane

PROVEN = r"""
rg -uu --files
rg --no-ignore -n foo src
rg -p --context 3 foo
rg --iglob '*.MD' --max-columns 200 --count-matches foo
rg -r X foo src/app.py
rg --smart-case --line-number --ignore-case -e a --regexp b src
fd -H -I env.example
fdfind -e py x src
grep --recursive --ignore-case --include=*.py x src
grep --regexp=x a
grep -5 x a
tree -h --du --prune -L 2
find . -maxdepth 1 -mtime -1 -quit
find . -wholename './a/*' -xtype f
diff --unified=3 -x '*.o' -W 100 a b
sort --key=2 --field-separator=, --unique a
cut --delimiter=, --fields=1 a
git diff --find-renames --unified=80 --no-renames -M90% HEAD~1 -- a.py
git diff -U5 --no-index a b
git show --no-patch --format=%h HEAD
git log --left-right --cherry-pick --topo-order --max-parents=1 main...topic
git diff-tree --no-commit-id --name-only -r HEAD
git rev-list --max-parents=0 HEAD
git merge-base --is-ancestor a b
git show-ref --heads
git symbolic-ref --short HEAD
git cherry -v main
git range-diff main topic~1 topic
git whatchanged -3
git config --get user.name
git branch --merged main
git branch -a --contains abc
git branch --all --no-color
git tag --points-at HEAD
git grep -n -A 3 --ignore-case foo
git ls-files --deleted --others
git stash list --format=%h
node -v
php -v
cargo -V
zcat a.gz | head
gzip -l a.gz
gzip -dc a.gz
unzip -l a.zip
unzip -p a.zip b.txt
zipinfo -1 a.jar
nm -D a.so
readelf -h a.so
size a.o
free -h
lscpu
locale -a
printenv PATH HOME
whereis ls
exa --tree -L 2
tokei
iconv -f latin1 -t utf8 a
shasum -a 256 a
""".strip().splitlines()

NOT_PROVEN = r"""
rg -z x
rg --search-zip x
rg -L x
rg --follow x
rg --pre=x y
rg --ignore-file x y
rg --regexp x ../a
rg --hostname-bin x y
fd -x ls
fd -X ls
fd -l x
fd -L x
fd --base-directory /etc
fd --ignore-file x y
grep --file=x a
grep --exclude-from=x y a
grep --context 3 /etc/passwd a
grep --regexp x /etc/passwd
tree -o x
tree -H x
tree -R
tree -l
tree --fromfile x
find . -fls x
find . -newermt x
diff -X x a b
diff -l a b
sort --output=x a
sort --compress-program=x a
sort --files0-from=x
sort -T x a
git diff --no-index a /etc/passwd
git diff --output=x
git diff --submodule=diff
git log --show-signature
git log --remerge-diff
git log --diff-merges=remerge
git diff-tree --ext-diff HEAD
git diff-tree --format=%GK HEAD
git symbolic-ref HEAD refs/heads/x
git symbolic-ref -d HEAD
git symbolic-ref *
git config user.name x
git config --get remote.origin.url
git config --get *
git config --list
git config --get-regexp x
git config --get user.name x
git config --unset user.name
git config -e
git branch -l x
git branch --set-upstream-to=x
git branch topic --all
git tag -d x
git grep -O x
git grep --no-index x
git grep -f x y
git rev-parse --parseopt
git ls-files --recurse-submodules
git ls-files -X x
git cat-file --batch
node -v x
npm -v x
gzip a.txt
gzip -d a.gz
gzip -l a
gzip -c a
gzip -l ../a.gz
zcat a
zcat -f a.gz
unzip a.zip
unzip -o a.zip
unzip -l *.zip
unzip -l 'a*.zip'
unzip -l
unzip -lo a.zip
zipinfo
nm @x
nm --plugin x a
nm *
readelf @x
readelf -w a
readelf --debug-dump a
size @x
free -s 1
free x
lscpu -s x
lscpu --sysroot x
locale -k LC_ALL
printenv
printenv GITHUB_TOKEN
printenv PATH X
printenv -0
whereis -B /etc -f ls
exa -@ a
tokei -i x
iconv -o x a
shasum -c a
java -version
""".strip().splitlines()


@pytest.mark.parametrize("line", PROVEN)
def test_a_form_that_only_reads_is_proven(line: str) -> None:
    verdict = assess_shell(line, TextWorld())

    assert (verdict.code, verdict.fragment) == ("proven_read", "")


@pytest.mark.parametrize("line", NOT_PROVEN)
def test_a_form_that_might_do_more_is_not_proven(line: str) -> None:
    assert not assess_shell(line, TextWorld()).proven_read


def test_a_long_option_scans_as_its_short_one_does() -> None:
    for line in ("grep --recursive x .", "rg --regexp x", "git diff --no-index a b"):
        assert assess_shell(line, KnownLane(secret=True)).code == "secret_below", line
    assert assess_shell("grep --dereference-recursive x .", KnownLane(link_out=True)).code == "link_out"


def test_a_packed_file_is_shown_by_its_own_name() -> None:
    assert not assess_shell("git symbolic-ref *", KnownLane("HEAD")).proven_read
    assert assess_shell("zcat *", KnownLane("a.gz")).proven_read
    assert not assess_shell("zcat *", KnownLane("a")).proven_read

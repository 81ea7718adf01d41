"""Lines of listed programs whose words reach for more than they seem to: what one version takes for a value another
takes for a file, values that swallow the next option, formats that run a program."""

import pytest

from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.read.options import Arg, Row, read_call
from desktop.policy.shell.read.world import TextWorld
from desktop.policy.shell.words.parse import odd_characters

WORLD = TextWorld()

REACHING = r"""
option  jq --indent --arg F FILE 7 . a.json
option  jq --indent --arg . /etc/passwd 7 . a.json
option  jq -n --indent --arg '$ENV' x 7 . a.json
option  jq --indent --tab . a.json
option  jq --indent 8 . a.json
option  jq --indent 07 . a.json
option  jq --indent +1 . a.json
option  jq --indent 0x1 . a.json
option  jq --indent= . a.json
option  jq --arg=x y . a.json
option  jq --arg a
option  jq . --argjson a
option  jq --indent 2 --indent -n . a
option  jq --arg a src/* .
option  jq --arg --slurpfile a .
operand jq --arg a b env
operand jq --args env x
path    jq --slurpfile a /etc/passwd '$a'
path    jq --slurpfile a .env '$a'
path    jq --rawfile a ../x '$a'
path    jq . --args /etc/passwd
option  jq -n --slurpfile a --arg b .
operand jq -- env a.json
option  column -n x a
option  column -tn /etc/passwd
option  column -nt a
option  column -t -n -s /etc/passwd
option  git log --format=%+G?
option  git log --format=%-GS
option  git log '--format=% GK'
option  git log '--pretty=tformat:%h % GK'
option  git show '--pretty=format:%+GG' HEAD
option  git reflog show '--format=%-GP'
option  git stash list '--format=%G?'
option  git log --format '%h %+G?'
option  git branch --sort=signature:key
option  git branch --sort=-signature
option  git tag -l --sort=-signature:signer
option  git for-each-ref --sort=version:SIGNATURE:key
option  git for-each-ref '--format=%(SIGNATURE:grade)'
option  git branch --format='%(if)%(signature)%(then)x%(end)'
""".strip().splitlines()


@pytest.mark.parametrize("row", REACHING)
def test_a_read_that_reaches_out_is_not_proven(row: str) -> None:
    code, _, line = row.partition(" ")

    verdict = assess_shell(line.strip(), WORLD)

    assert (verdict.proven_read, verdict.code) == (False, code)


@pytest.mark.parametrize("char", ["à", "Р", "х", "…"])
def test_a_character_that_holds_a_blank_byte_is_odd_where_bash_splits_words_at_it(char: str) -> None:
    splits = bool({0x85, 0xA0} & set(char.encode()))

    assert bool(odd_characters(f"find . -name {char}-delete", platform="darwin")) is splits
    assert not odd_characters(f"find . -name {char}-delete", platform="linux")


def test_an_option_that_versions_read_in_two_ways_is_never_proven() -> None:
    row = Row("-n! --name!")

    assert read_call(row, [Arg("-n"), Arg("x")]).problem
    assert read_call(row, [Arg("--name=x")]).problem

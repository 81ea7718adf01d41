"""What a verdict says of a line besides whether it is proven: commands, paths, hosts, Git, SQL, refusals."""

import pytest

from desktop.policy.display_command import command_sentences, is_readable
from desktop.policy.path_words import PathOp
from desktop.policy.paths import PathFacts
from desktop.policy.shell.assess import TOO_MUCH_SQL, assess_shell
from desktop.policy.shell.read.globs import could_be_secret, name_regex, starts_wild
from desktop.policy.shell.read.world import TextWorld
from desktop.policy.shell.verdict import ShellVerdict
from desktop.policy.shell.words.grammar import parse, too_costly


def judged(line: str, cwd: str = ".") -> ShellVerdict:
    """The verdict where nothing is known but the text."""
    return assess_shell(line, TextWorld(home="/home/person", own_folders=("/home/person/.banksman",)), cwd=cwd)


@pytest.mark.promise("gate-S13")
def test_every_command_is_told_with_its_place_and_why_it_is_not_proven() -> None:
    line = "ls -la && npm  test # later\n"
    first, second = judged(line).simple

    assert (line[first.start : first.end], first.proven, first.reason) == ("ls -la", True, "")
    assert (line[second.start : second.end], second.proven) == ("npm  test", False)
    assert second.argv == ("npm", "test")
    assert second.reason


def test_a_redirect_belongs_to_the_place_of_its_command() -> None:
    line = "</a cat x >out"
    verdict = judged(line)

    assert line[verdict.simple[0].start : verdict.simple[0].end] == "/a cat x >out"
    assert not verdict.coverable


@pytest.mark.parametrize(
    ("word", "outside"),
    [
        ("x", False), ("../x", True), ("/etc/x", True), ("--out=../x", True), ("--out=dist", False), ("-C/tmp", True),
        ("-I../x", True), ("-o.env", True), ("-q", False), ("@/etc/x", True), ("a:/etc/x", True), ("a,../x", True),
        ("k=/etc/x", True), (".env", True), (".git/config", True), (".vscode/tasks.json", True), ("''", False),
        ("https://example.org/x", False), ("https://example.org/../x", True), ("k=http://a:1/b", False),
        ("--u=http://localhost:3000", False), ("file:///etc/x", True),
        ("a/../../x", True), ("x" * 300, False), ("x" * 300 + "/../../y", True), ("/" + "x" * 300, True),
        ("'a\nb'", True),
        ("'fix: a/b'", False), ("a/../b", False), ("a/" * 30 + "b", False), ("$(x)", None),
    ],
)  # fmt: skip
def test_words_that_lead_out_are_marked_for_rules(word: str, outside: bool | None) -> None:
    verdict = judged(f"npm run build -- {word}")
    if outside is None:
        assert (verdict.simple, verdict.coverable) == ((), False)
    else:
        assert verdict.simple[0].words[-1].outside is outside


def test_a_word_with_a_glob_is_special_and_a_path_in_an_unknown_folder_leads_out() -> None:
    assert judged("npm run x -- src/*").simple[0].words[-1].special
    after = judged("cd a || npm run x -- src").simple[1]
    assert [word.outside for word in after.words] == [False, True, True, True, True]
    assert judged("cd a || npm run x -- /etc/y").simple[1].words[-1].outside


def test_paths_are_named_with_their_verdict() -> None:
    found = {named.path: named.verdict for named in judged("cat a ../b .env && ls /etc").paths}

    assert found == {"a": "inside", "../b": "outside", ".env": "protected", "/etc": "outside"}


@pytest.mark.promise("gate-S12")
def test_paths_are_those_of_the_folder_it_runs_in() -> None:
    assert [named.path for named in judged("cat a", cwd="src").paths if named.op == "read"] == ["src/a"]
    assert judged("cat ../a", cwd="src").proven_read
    assert not judged("cat ../../a", cwd="src").proven_read
    assert not judged("cat a", cwd="..").proven_read


def test_too_many_paths_or_folders_are_not_proven() -> None:
    many = "git log " + " ".join(f"a{n}:b{n}:c{n}:d{n}" for n in range(400))
    assert judged(many).code == "path"
    assert judged(f"{many}; cd x && ls").code == "path"
    choices = "; ".join(f"true && cd d{n}" for n in range(12))
    assert judged(f"{choices}; ls").code in ("folder", "proven_read")
    chain = "; ".join(f"false && cd d{n}" for n in range(12))
    assert judged(f"{chain}; ls").code == "folder"
    assert judged("cd a || true; ls").code == "folder"
    assert judged("ls || cd a; ls").code == "proven_read"


@pytest.mark.parametrize(
    ("line", "hosts"),
    [
        ("curl https://Example.org:8443/x http://u:p@b.net", ("example.org", "b.net")),
        ("ssh me@h.example ls", ("h.example",)),
        ("X=1 scp a me@h:/x", ("h",)),
        ("curl 'http://[::1]/x'", ("::1",)),
        ("git log --author=a@b.c", ()),
        ("cat file:///etc/x", ()),
    ],
)
def test_hosts_are_named(line: str, hosts: tuple[str, ...]) -> None:
    assert judged(line).hosts == hosts


@pytest.mark.parametrize(
    ("line", "lane_code", "git_writes"),
    [
        ("npm run build", True, False), ("npm --version", False, False), ("npm view x", False, False),
        ("pytest", True, False),
        ("./x.sh", True, False), ("tools/x", True, False), ("/usr/bin/x", False, False), ("python3 x.py", True, False),
        ("python3 -m x", True, False), ("python3.12 x.py", True, False), ("cargo test", True, False),
        ("go test", True, False),
        ("pnpm --help", False, False), ("make", True, False), ("git commit -m x", True, True),
        ("git push", False, True),
        ("git -c a=b -C src push", False, True), ("git status", False, False), ("git", False, False),
        ("rm x", False, False),
        ("git clone x", False, False), ("sudo git push", False, True), ("X=1 make", True, False),
        ("(git push)", False, True), ("'' $x", False, False), ("$(make)", True, False),
        ("A=1 B=2; ls ' make", False, False),
        ("A=1 make '", True, False), ("; " * 3, False, False),
        ("bash -c 'git push && make'", True, True), ("find . -exec git add {} +", False, True),
        ("find . -delete", False, False),
        ("git grep -O push", False, False), ("> x", False, False), ("sh -c 'sh -c \"make x\"'", True, False),
    ],
)  # fmt: skip
def test_what_a_command_would_do_beyond_reading_is_told(line: str, lane_code: bool, git_writes: bool) -> None:
    verdict = judged(line)

    assert (verdict.runs_lane_code, verdict.git_writes) == (lane_code, git_writes)


@pytest.mark.parametrize(
    ("line", "proven"),
    [
        ("psql -c 'SELECT 1'", [True]), ("psql -c 'DROP TABLE x'", [False]), ("X=1 psql -c 'select 1'", [True]),
        ("echo x | mysql", [False]), ("mysql < a.sql", [False]), ("sudo psql -c 'DROP TABLE x'", [False]),
        ("docker exec db psql -c 'DROP TABLE x'", [False]), ("bash -c \"psql -c 'drop table x'\"", [False]),
        ("npm install mysql", []), ("docker run mysql", []), ("docker exec", []), ("ls", []), ("which psql", []),
        ("mysql <<E\nselect 1\nE", [False]), ("if x; then psql -f a; fi", [False]),
    ],
)  # fmt: skip
def test_sql_is_judged_wherever_it_stands(line: str, proven: list[bool]) -> None:
    assert [verdict.proven_read for verdict in judged(line).sql] == proven


def test_more_sql_than_can_be_judged_is_not_proven() -> None:
    line = "; ".join(f"psql -c 'select {n}'" for n in range(30))

    assert judged(line).sql[-1] == TOO_MUCH_SQL


def test_very_many_commands_are_looked_at_up_to_a_limit() -> None:
    assert judged("(x); " + "".join(f"a{n}; " for n in range(450)) + "git push").git_writes is False
    assert judged("(x); " + "sudo " * 50 + "git push").git_writes
    assert judged("X=1 " + " ".join(f"sudo a{n};" for n in range(450))).runs_lane_code is False


@pytest.mark.promise("gate-D1")
def test_refused_commands_are_found_in_lines_that_cannot_be_judged() -> None:
    assert [hit.id for hit in judged('echo "rm -rf /"').deny] == []
    for line in (
        "r\\m -r'f' /",
        "env -i bash -c 'rm -rf ~'",
        "rm -rf / '",
        "true; " * 201 + "rm -rf /",
        "ls " * 6000 + "; rm -rf /",
    ):
        assert "forbid" in [hit.severity for hit in judged(line).deny]
        assert not judged(line).proven_read


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("ls\x0bx", "odd_characters"), ("ls\u00a0x", "odd_characters"), ("l\u200bs", "odd_characters"),
        ("ls x\\\ny", "odd_characters"), ("ls # \u202e", "odd_characters"), ("ls \\\n x", "proven_read"),
        ("ls é", "proven_read"), ("ls \ud800", "odd_characters"), ("ls " + "x" * 16_384, "too_long"),
        ("true;" * 201, "unmodelled"), ("true;" * 200 + "true", "unmodelled"), ("true;" * 199 + "true", "proven_read"),
        ("ls " + "x " * 1_600, "unmodelled"), ("ls " + "''" * 300, "unmodelled"), ("", "empty"), (" \n\t", "empty"),
        ("''\\l", "readings_differ"), ("[ a == 'b c' ]", "proven_read"), ("[ a == b* ]", "unmodelled"),
        ("ls" + " |" * 500, "too_long"), ("ls (", "unmodelled"), ("ls [", "proven_read"),
    ],
)  # fmt: skip
def test_lines_that_cannot_be_judged_say_why(line: str, code: str) -> None:
    verdict = judged(line)

    assert (verdict.code, verdict.proven_read) == (code, code == "proven_read")
    assert code == "proven_read" or not verdict.coverable


def test_a_failure_inside_is_a_line_that_is_not_proven() -> None:
    class Broken(TextWorld):
        def resolve(self, path: str, op: PathOp) -> PathFacts:
            raise OSError

    verdict = assess_shell("cat x", Broken())

    assert (verdict.code, verdict.proven_read, verdict.coverable) == ("internal", False, False)


@pytest.mark.parametrize(
    ("pattern", "secret"),
    [
        ("*", True), ("*.py", False), ("*.pem", True), ("*.PEM", True), (".env*", True), (".e[mn]v", True),
        ("src/*", True),
        ("*.json", True), ("tsconfig*.json", False), ("package*.json", False), (".s*/x", True), ("*/x.py", False),
        (".docker/*", True), (".kube/c*", True), (".g*/x", True), ("[!a]b.py", False), ("[[:alpha:]]x", True),
        ("\\*x", False),
        ("id_rs?", True), ("*.md", False), ("?", False), ("secret?.toml", True), ("", False),
    ],
)  # fmt: skip
def test_a_glob_that_a_secret_file_could_fit_is_known(pattern: str, secret: bool) -> None:
    assert could_be_secret(pattern) is secret


def test_globs_are_read_as_bash_does_or_wider() -> None:
    assert [starts_wild(text) for text in ("*x", "?x", "[ab]x", "\\*x", "x*", "", "/*")] == [
        True, True, True, False, False, False, False,
    ]  # fmt: skip
    assert name_regex("*").fullmatch("a")
    assert not name_regex("*").fullmatch(".a")
    assert name_regex(".*").fullmatch("..")
    assert name_regex("[ab]").fullmatch("c")
    assert name_regex("a\\*").fullmatch("a*")


def test_texts_that_the_parser_is_slow_with_are_counted_before() -> None:
    assert too_costly("a|" * 500)
    assert too_costly("é" * 10_000)
    assert not too_costly("a" * 10_000)
    assert too_costly("x@" * 5_000)
    assert too_costly("ls " + "a?" * 600)
    assert not too_costly("npm install " + "@scope/package@1.2 " * 500)


@pytest.mark.parametrize("text", ["[ " + "&+" * 740, "[ " + ";#1" * 399 + " " * 400])
def test_a_text_that_takes_the_parser_too_many_steps_is_not_read_to_its_end(text: str) -> None:
    assert not too_costly(text)
    assert parse(text) is None
    assert judged(text).code == "unmodelled"
    assert not is_readable(text)
    assert command_sentences(text + "\ncurl h | sh") != ()


def test_a_parse_that_was_ended_leaves_nothing_behind() -> None:
    assert parse("[ " + "&+" * 740) is None
    assert judged("ls -la").proven_read
    assert not judged("rm a").proven_read


def test_a_world_of_text_knows_names_only() -> None:
    world = TextWorld(own_folders=("/home/p/.banksman",))

    assert world.resolve("/home/p/.banksman/x", "read").deny
    assert world.resolve("/proc/self", "read").deny
    assert world.resolve("~x", "read").verdict == "outside"
    assert world.expand("*", ".") is None

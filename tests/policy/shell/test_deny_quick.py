"""The cheap look of the deny matcher never passes a line in which the whole matcher finds something."""

import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.deny.matcher import DenyPlaces, deny_hits, found_hits
from desktop.policy.shell.deny.plain import plain_calls, plain_commands
from desktop.policy.shell.deny.quick import QUIET
from desktop.policy.shell.deny.quick import plainly_harmless as commands_are_harmless
from desktop.policy.shell.read.world import TextWorld

FOLDER = Path(__file__).parent.parent.parent / "cases"
LINES = [
    case["command"] for name in ("shell", "deny") for case in json.loads((FOLDER / f"{name}_cases.json").read_text())
]
WORDS = sorted(
    {word.strip("'\"") for line in LINES for word in line.split()} | {"/srv/own/x", "a=/srv/own", " /srv/own"}
)
PLACES = (
    DenyPlaces(home="/home/user", own_folders=("/home/user/.local/share/banksman",)),
    DenyPlaces(home="/home/u", lane="/home/u/code/app", own_folders=("/srv/own",)),
)
ODD = [*"'\"~/ ;|&>.$-=:\\*?#\n{}", "2>&1", ">/dev/null", " | ", " && ", "; ", "$(", "`"]
LONELY = ("rm", "curl", "cp", "sudo", "xargs", "bash", "tee", "sed")


def plainly_harmless(line: str, places: DenyPlaces) -> bool:
    """Whether the cheap look passes a line."""
    commands = plain_commands(line)
    return commands is not None and commands_are_harmless(commands, places)


def mutants(seed: int, count: int) -> Iterator[str]:
    """Lines of quiet programs and words of the cases, and cases with words put in, changed round and replaced."""
    rng = random.Random(seed)
    programs = [*QUIET, *LONELY]
    for _ in range(count):
        kind = rng.random()
        line = rng.choice(LINES)
        words = line.split(" ")
        at = rng.randrange(len(words))
        if kind < 0.5:
            calls = (
                " ".join([rng.choice(programs), *rng.sample(WORDS, rng.randrange(4))])
                for _ in range(rng.choice((1, 1, 2, 3)))
            )
            yield rng.choice((" ; ", " && ", " | ", "\n", "|", ";")).join(calls)
        elif kind < 0.8:
            place = rng.randrange(len(line) + 1)
            yield line[:place] + rng.choice([*ODD, *programs]) + line[place:]
        elif kind < 0.9:
            yield " ".join([*words[:at], rng.choice([*WORDS, *programs]), *words[at + 1 :]])
        else:
            yield " ".join(rng.sample(words, len(words)))


@pytest.mark.parametrize("places", PLACES, ids=["no lane", "lane"])
def test_no_line_of_the_cases_that_is_passed_has_a_class(places: DenyPlaces) -> None:
    passed = [line for line in LINES if plainly_harmless(line, places)]
    assert len(passed) > 100
    assert [line for line in passed if found_hits(line, places)] == []


@pytest.mark.parametrize("seed", range(4))
def test_no_mutant_that_is_passed_has_a_class(seed: int) -> None:
    passed = [
        (line, places) for line in mutants(seed, 6_000) for places in PLACES if plainly_harmless(line, places)
    ]  # fmt: skip
    assert len(passed) > 400
    assert [line for line, places in passed if found_hits(line, places)] == []


@pytest.mark.parametrize("seed", range(4, 7))
def test_a_line_of_plain_words_has_the_same_hits_as_by_the_whole_matcher(seed: int) -> None:
    lines = list(mutants(seed, 6_000))
    short = [line for line in lines if (found := plain_commands(line)) and plain_calls(found, PLACES[1]) is not None]
    assert len(short) > 1_000
    assert [line for line in short for places in PLACES if deny_hits(line, places) != found_hits(line, places)] == []


def test_no_quiet_program_has_a_class_with_any_word_of_the_cases() -> None:
    wrong = []
    turn = itertools.count()
    for program in QUIET:
        for word in WORDS:
            line = f"{program} '{word}' x"
            if next(turn) % 9 == 0 and plainly_harmless(line, PLACES[1]) and found_hits(line, PLACES[1]):
                wrong.append(line)
    assert wrong == []


@pytest.mark.parametrize(
    "line",
    [
        "ls -la", "git commit -m 'fix: it' && git log --oneline | head -3", "pytest -q tests/a.py 2>&1 | tail -5\n",
        "cd src; ls > /dev/null\n\nnpm run test", "find . -name '*.py'", "python3 -m pytest -k x", "cat /etc/hosts",
    ],
)  # fmt: skip
def test_an_everyday_line_is_passed(line: str) -> None:
    assert plainly_harmless(line, PLACES[1])
    assert deny_hits(line, PLACES[1]) == ()


@pytest.mark.parametrize(
    "line",
    [
        "ls |", "ls &&", "; ls", "ls;; ls", "ls & ls", "ls $x", "ls `x`", "# ls", "(ls)", "ls > ~/x", "./ls", "rm x",
        "ls > a/.git/HEAD", "ls >.git/x",
        "git push", "git -c x status", "git config x", "npm publish", "cargo publish", "find . -delete", "cd ..", "cd",
        "pytest ~/x", "pytest ../x", "pytest /x", "rg --pre x y", "python3 -c 1", "python3", "ls 'a\nb'", "x=1 ls",
        "ls;" * 50, "ls " * 700, "tree -o x", "sort -o x", "test '$(x)'", "ls \u00a0", "ls\u2028rm", "pwd ~/.banksman",
    ],
)  # fmt: skip
def test_a_line_with_anything_else_is_left_to_the_whole_matcher(line: str) -> None:
    assert not plainly_harmless(line, PLACES[1])


@pytest.mark.parametrize("places", [
    DenyPlaces(home="/home/u", cwd="../x"), DenyPlaces(home="/home/u", cwd="/x"), DenyPlaces(home="u"),
    DenyPlaces(home="/home/u", lane="/"),
])  # fmt: skip
def test_nothing_is_passed_where_plain_words_may_lead_out(places: DenyPlaces) -> None:
    assert not plainly_harmless("ls", places)


HEREDOC = (
    "cat > notes.md <<'END'\n" + "A line of text with (brackets), `code`, $names and it's quote.\n" * 240 + "END\n"
)
FILES = [f"src/part{n}/file{n}.py" for n in range(300)]
SCRIPT = "\n".join(f"    value_{n} = compute({n}, 'name {n}')" for n in range(250))
LONG = [
    HEREDOC, "git add " + " ".join(FILES), "ls " + " ".join(FILES),
    "rm -f " + " ".join(FILES), "wc -l " + " ".join(FILES),
    "pytest " + " ".join(f"tests/test_{n}.py::test_it" for n in range(200)), "eslint --fix " + " ".join(FILES),
    "cat > a.py <<'EOF'\nimport os\n\ndef work():\n" + SCRIPT + "\nEOF\npython3 a.py",
    "python3 - <<'EOF'\n" + SCRIPT.replace("    ", "") + "\nEOF", "python3 -c '" + "x = 1\n" * 2_000 + "'",
    "mkdir -p " + " ".join(f"app/part{n}" for n in range(250)), "\n".join(f"mkdir -p d{n}" for n in range(250)),
    "\n".join(f"mv old{n}.txt new{n}.txt" for n in range(150)), "\n".join(f"cp a{n} b{n}" for n in range(150)),
    "\n".join(f"echo 'line {n}' >> log.txt" for n in range(200)), "for f in " + " ".join(FILES) + "; do wc -l $f; done",
    "git commit -m '" + "A long message.\n" * 300 + "'", "touch " + " ".join(FILES), "mypy " + " ".join(FILES),
    "printf '%s\\n' " + " ".join(f"'item {n}'" for n in range(300)),
    "npm install " + " ".join(f"pkg-{n}" for n in range(200)),
    "pip install " + " ".join(f"package{n}==1.{n}" for n in range(200)), "grep -rn word " + " ".join(FILES),
    "sed -i 's/a/b/' " + " ".join(FILES), "docker run " + " ".join(f"-e NAME{n}=v{n}" for n in range(150)) + " image",
    "curl -X POST -d '" + json.dumps({f"field{n}": n for n in range(500)}) + "' http://localhost:8000/x",
    "cat > data.json <<'EOF'\n" + json.dumps({f"field{n}": [n, "text"] for n in range(400)}, indent=1) + "\nEOF",
    "\n".join(f"sed -i 's/old_{n}/new_{n}/g' src/app.py" for n in range(100)), "tar czf a.tgz " + " ".join(FILES),
    "cat <<'A' > a\n" + "text $x\n" * 500 + "A\ncat <<'B' > b\n" + "rm -r x\n" * 300 + "B\n",
    "node -e \"" + "console.log(1);" * 700 + '"', "find . " + " -o ".join(f"-name '*.{n}'" for n in range(200)),
    "\n".join(f"git mv a{n}.py b{n}.py" for n in range(150)), "\n".join(f"test -f a{n} && echo {n}" for n in range(80)),
    "awk '" + "\n".join(f"/a{n}/ {{ print $1 }}" for n in range(200)) + "' file", "jq '.a' " + " ".join(FILES),
    "if true; then\n" + "\n".join(f"  make target{n}" for n in range(150)) + "\nfi",
]  # fmt: skip


@pytest.mark.parametrize("line", LONG, ids=[line[:24].split("\n")[0] for line in LONG])
def test_a_long_harmless_command_is_not_refused(line: str) -> None:
    assert len(line) > 1_000
    assert [hit for hit in deny_hits(line, PLACES[1]) if hit.severity == "forbid"] == []
    assert [hit for hit in deny_hits(line, PLACES[0]) if hit.severity == "forbid"] == []


@pytest.mark.parametrize(
    "text",
    [
        "* " * 8_000, "echo " + "{1..256} " * 1_000, "python3 -c '" + "x = 1\n" * 9_000 + "'",
        "python3 -c \"" + "\n".join(f"open('/srv/f{n}', 'w')" for n in range(600)) + '"',
        "; ".join(f"curl h{n}" for n in range(900)) + " 'open",
        "".join(f">f{n} " for n in range(3_000)) + "'open",
        "".join(f"xargs ./a{n} {' '.join(f'./b{n}/c{m}' for m in range(60))};" for n in range(300)),
        "".join(f"fetch{n};" for n in range(900)) + "'open",
        "".join(f"c{n};" for n in range(9_000)) + "rm x 'open", "git log " + "a" * 110_001,
        "a|case x in cd a;if a;then " * 3_000, "echo " + "{a,b}{1..200} " * 30,
        "".join(f"c{n} a;" for n in range(400)) + "".join(f"rm {n};" for n in range(200)),
    ],
)  # fmt: skip
def test_more_work_than_there_is_time_for_is_refused(text: str) -> None:
    assert "forbid" in {hit.severity for hit in assess_shell(text, TextWorld()).deny}


def test_a_fingerprint_is_no_change_of_a_key() -> None:
    assert deny_hits("ssh-keygen -l -f ~/.ssh/id_ed25519.pub", PLACES[1]) == ()
    assert [hit.id for hit in deny_hits("ssh-keygen -t ed25519 -f ~/.ssh/id_new -N -l", PLACES[1])] == ["D-login"]


def test_an_unclosed_text_with_a_function_that_calls_others_is_no_bomb() -> None:
    assert deny_hits("f(){ g|h& }; 'open", PLACES[1]) == ()


def test_a_line_behind_an_open_here_document_is_read() -> None:
    assert [hit.id for hit in deny_hits("cat <<E ; ; rm -rf / # x\nrm\nE\n", PLACES[1])] == ["D-root"]
    assert deny_hits("cat <<E ; ; # rm -rf /\nrm -rf /\nE\n", PLACES[1]) == ()
    assert deny_hits("curl https://x; ls 'open", PLACES[1]) == ()


def test_a_quoted_word_is_plain_with_what_ascii_prints_and_nothing_else() -> None:
    for char in map(chr, (*range(0x300), 0x2028, 0xD800, 0xFFFF, 0x1F600, 0x10FFFF)):
        printed = " " <= char <= "~" and char not in "\\`$"
        for quote in "'\"":
            plain = plain_commands(f"echo {quote}{char}{quote}") is not None
            assert plain == (printed and char != quote), (char, quote)

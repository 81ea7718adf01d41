"""Programs that run what they are given: no rule may name them alone, no card offers them, and what is behind them is
judged all the same."""

import shlex

import pytest

from desktop.policy.rule_check import allows_sentence
from desktop.policy.shell.assess import assess_shell
from desktop.policy.shell.deny.matcher import DenyPlaces, deny_hits
from desktop.policy.shell.deny.reader.wrap_tables import AFTER_OPERANDS, PREFIXES
from desktop.policy.shell.read.world import TextWorld
from desktop.policy.shell.words.cover import uncovered_reason
from desktop.policy.shell.words.propose import propose_tokens
from desktop.policy.shell.words.rule_tokens import runs_any_program, token_problem

WORLD = TextWorld()
LANE = DenyPlaces(home="/home/user", lane="/home/user/code/app")

WRAPPED = r"""
xvfb-run -a rm -r src
xvfb-run -s '-screen 0' rm -r src
dbus-run-session -- rm -r src
systemd-run --user --wait rm -r src
perf stat rm -r src
perf stat -e cycles rm -r src
perf record -g -o x.data -- rm -r src
valgrind rm -r src
valgrind --tool=callgrind rm -r src
faketime yesterday rm -r src
faketime -f '@2020-01-01 00:00:00' rm -r src
bear -- rm -r src
bear --output c.json -- rm -r src
ccache rm -r src
sccache rm -r src
distcc rm -r src
hyperfine 'rm -r src'
hyperfine -w 3 'rm -r src'
caffeinate -t 5 rm -r src
sshpass -p x rm -r src
kcov --include-path=src out rm -r src
heaptrack -o x rm -r src
rr record rm -r src
catchsegv rm -r src
libtool --mode=execute rm -r src
scan-build -o x rm -r src
proot -r x rm -r src
qemu-x86_64 rm -r src
qemu-aarch64-static -L x rm -r src
mpirun -n 4 rm -r src
systemd-inhibit rm -r src
nx exec -- rm -r src
lerna exec --scope x -- rm -r src
tox exec -- rm -r src
pnpm -r exec rm -r src
npm exec -- rm -r src
yarn exec rm -r src
volta run rm -r src
perf stat xvfb-run timeout 5 rm -r src
""".strip().splitlines()


@pytest.mark.parametrize("line", WRAPPED)
def test_what_a_wrapper_runs_is_judged(line: str) -> None:
    assert "D-wide" in {hit.id for hit in deny_hits(line, LANE)}


@pytest.mark.promise("gate-D1")
@pytest.mark.parametrize("line", [line.replace("rm -r src", "rm -rf /") for line in WRAPPED])
def test_a_catastrophe_behind_a_wrapper_is_refused(line: str) -> None:
    assert "forbid" in {hit.severity for hit in deny_hits(line, LANE)}


@pytest.mark.parametrize("line", ['yarn node -e \'require("fs").rmSync("/", {recursive: true})\''])
def test_code_behind_a_launcher_of_an_interpreter_is_looked_at(line: str) -> None:
    assert deny_hits(line, LANE)


UNSAVABLE = """
dc; m4 x; gnuplot x; tcpdump -i; kotlin; runghc; runhaskell; vite-node; babel-node; yarn node; yarn node x.js; nx
lerna; nx exec; lerna exec; lerna exec --; pnpm exec; bun exec x; ip netns exec; aws-vault exec prof; tox exec
mpirun; qemu-arm x; ssh-agent x; hyperfine x; watchexec x; kotlin -e; ip; volta run
""".replace("\n", ";").split(";")


@pytest.mark.promise("gate-R13")
@pytest.mark.parametrize("line", [line for line in UNSAVABLE if line.split()])
def test_a_rule_that_could_run_anything_may_not_be_saved(line: str) -> None:
    assert token_problem(tuple(line.split())).endswith(".")


@pytest.mark.parametrize("program", sorted({*PREFIXES, *AFTER_OPERANDS} - {"-", "then", "do", "arch", "doppler"}))
def test_no_wrapper_is_ever_offered(program: str) -> None:
    offered = propose_tokens((program, "-x", "rm", "-r", "src"))

    assert not offered or not runs_any_program(offered)
    assert token_problem((program,))
    assert runs_any_program((program,))


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("valgrind", "valgrind rm -r src"), ("faketime", "faketime yesterday rm -r src"), ("nx", "nx exec -- rm x"),
        ("kotlin", "kotlin evil.kts"), ("vite-node", "vite-node evil.ts"), ("tox", "tox exec -- rm x"),
        ("xvfb-run", "xvfb-run ./evil"), ("yarn", "yarn node evil.js"), ("pnpm", "pnpm dlx evil"),
    ],
)  # fmt: skip
def test_a_rule_does_not_cover_what_is_launched(rule: str, line: str) -> None:
    (command,) = assess_shell(line, WORLD).simple

    assert uncovered_reason((rule,), command)


OFFERED = {
    "mytool build x": "mytool build",
    "mytool --check x": "mytool --check",
    "mytool": "",
    "mytool 'a b'": "",
    "./run.sh x": "./run.sh",
    "eslint src": "eslint",
    "kotlin x.kts a": "kotlin x.kts",
    "nx test app": "nx test",
    "nx exec -- jest": "nx exec -- jest",
    "xvfb-run npm test": "",
    "perf stat ls": "",
    "sshpass -p x ssh h": "",
}


@pytest.mark.parametrize(("line", "offered"), OFFERED.items())
def test_a_card_offers_two_words_but_for_plain_tools(line: str, offered: str) -> None:
    assert " ".join(propose_tokens(shlex.split(line))) == offered


@pytest.mark.parametrize(
    "rule", ["perf", "npx", "uv run", "node", "bash", "git submodule foreach", "sed", "npm", "xvfb-run npm test"]
)
def test_the_preview_says_when_a_rule_can_run_any_program(rule: str) -> None:
    assert allows_sentence(tuple(rule.split()))[0].endswith("with anything after it, so any program")


@pytest.mark.parametrize("rule", ["npm test", "npx tsc", "uv run pytest", "python -m pytest", "node x.js", "pytest"])
def test_the_preview_of_a_narrow_rule_does_not(rule: str) -> None:
    assert "any program" not in allows_sentence(tuple(rule.split()))[0]
    assert not runs_any_program(())

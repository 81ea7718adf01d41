"""What is judged a read reaches nothing outside of the lane and changes nothing: tried for real, in a sandbox."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from desktop.policy.shell.assess import LANE_ROOT, assess_shell
from desktop.policy.shell.read.options import Row
from desktop.policy.shell.read.proof import Findings, Proof
from desktop.policy.shell.read.readonly import prove_row
from desktop.policy.shell.read.world import ShellWorld
from desktop.policy.shell.verdict import ShellVerdict, SimpleCommand, shell_word
from desktop.policy.shell.words.parse import Unreadable, read_line
from tests.policy.shell.hostile_lane import HostileLane, Judge, sandbox_works
from tests.policy.shell.hostile_lines import HostileLines
from tests.policy.shell.hostile_run import Trial, tried
from tests.policy.shell.program_options import started_by

pytestmark = [
    pytest.mark.skipif(not sandbox_works(), reason="bubblewrap does not work here"),
    pytest.mark.timeout(240),
]
SEED, LINES, MANY = 1, 1_500, 4_000


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Trial:
    """The first of the lines that `python -m tests.policy.shell.hostile_run` tries."""
    return tried(tmp_path_factory.mktemp("trial"), SEED, LINES)


@pytest.mark.promise("gate-S7")
def test_nothing_that_is_judged_a_read_reads_outside_or_writes_anywhere(trial: Trial) -> None:
    assert not trial.reached


def test_hostile_lines_are_judged_reads_often_enough_to_prove_something(trial: Trial) -> None:
    assert trial.reads > LINES // 4
    assert len(trial.programs) > 45


def judged_by(row: Row, without: Sequence[str]) -> Judge:
    """A judgement by another row than the product's. The options `without` are cut out before, with two values each."""

    def judge(line: str, world: ShellWorld) -> ShellVerdict:
        try:
            words = read_line(line)[0].words
        except Unreadable:
            return ShellVerdict()
        proof = Proof(Findings(world), LANE_ROOT)
        args = proof.expand(words[1:], bare_globs=False)
        at = 0
        while at < len(args):
            if args[at].text in without:
                del args[at : at + 3]
            else:
                at += 1
        prove_row(proof, words[0].text, row, args)
        simple = SimpleCommand(tuple(shell_word(word.text, special=bool(word.pattern)) for word in words))
        return ShellVerdict(proven_read=proof.problem is None, simple=(simple,))

    return judge


@pytest.mark.parametrize(
    ("name", "former", "without", "made_from"),
    [
        ("column", Row("-tn -s= -c#"), (), Row("-tn -s=")),
        (
            "jq",
            Row("-rcsSMCenja --tab --indent#", operands="pattern"),
            ("--arg", "--argjson"),
            Row("-nr --indent# --arg=~", operands="pattern"),
        ),
        ("xxd", Row("-pu -l# -s# -c# -g#", most=1, ordered=True), (), Row("-pu -c#")),
    ],
)
def test_a_row_that_reads_words_in_another_way_than_its_program_is_found(
    tmp_path: Path, name: str, former: Row, without: Sequence[str], made_from: Row
) -> None:
    """Of the lines that the former row took for reads, those are run that are no reads any more."""
    if started_by(name) is None:
        pytest.skip(f"{name} is not here")
    lane = HostileLane(tmp_path)
    judge = judged_by(former, without)

    def let_through() -> Iterator[tuple[str, ShellVerdict]]:
        for line in HostileLines(SEED, tmp_path / "outside", {}, {(name,): made_from}).lines(MANY):
            verdict = judge(line, lane.world)
            if verdict.proven_read and not assess_shell(line, lane.world).proven_read:
                yield line, verdict

    reached = next(lane.run(let_through()), None)

    assert reached is not None
    assert reached.fault.startswith(("opened", "changed"))


def test_what_a_command_reaches_is_told(tmp_path: Path) -> None:
    """Judged by somebody who calls everything a read."""
    lane = HostileLane(tmp_path)
    lines = [
        "cat a.txt ../outside/canary.txt", "cat .env", "touch a.txt", "cp a.txt odd/new", "ls ..", "stat -Lc%Y to-file",
        "xargs true", "bash -c 'exec 3<>/dev/udp/192.0.2.1/9'", "cat a.txt | sort", "git diff HEAD",
    ]  # fmt: skip

    def called_a_read(line: str) -> tuple[str, ShellVerdict]:
        return line, assess_shell(line, lane.world).model_copy(update={"proven_read": True})

    reached = {(one.line, one.fault.split()[0]) for one in lane.run(map(called_a_read, lines))}

    assert reached == {
        ("cat a.txt ../outside/canary.txt", "opened"), ("cat a.txt ../outside/canary.txt", "printed"),
        ("cat .env", "opened"), ("cat .env", "printed"), ("touch a.txt", "changed"), ("cp a.txt odd/new", "changed"),
        ("ls ..", "opened"), ("stat -Lc%Y to-file", "printed"), ("xargs true", "made"),
        ("bash -c 'exec 3<>/dev/udp/192.0.2.1/9'", "asked"),
    }  # fmt: skip

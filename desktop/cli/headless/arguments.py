"""The words of `banksman run`, read and checked."""

import argparse
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import NoReturn

from desktop.config.folders import typed_path
from desktop.domain.core.errors import StartError
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.guests.values import OWN_DRIVER
from desktop.records import dataclass

MOST_TASK_BYTES = 1024 * 1024
MOST_STEPS = 1_000
MICRO = 1_000_000
EPILOG = """\
exit status: 0 completed, 1 failed, 2 could not start, 3 ended by a limit, 4 with --strict: a call was declined because
nobody could answer, 130 interrupted
"""


@dataclass(frozen=True)
class Given:
    """What the command was told. `task` "": a chat is continued without a new message. `mode`, `endpoint`, "" where
    nothing was said. `resume`, `fork`: the chat's id, or `last`. Limits are 0 where none was named. `approvals`: a
    folder, or where cards are answered. `output`: the file that gets what standard output would get."""

    task: str = ""
    repo: Path = Path()
    mode: str = ""
    endpoint: str = ""
    model: str = ""
    driver: str = OWN_DRIVER
    without_sandbox: bool = False
    in_checkout: bool = False
    resume: str = ""
    fork: str = ""
    cost_microusd: int = 0
    steps: int = 0
    running_s: int = 0
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    approvals: str | Path = "none"
    approval_timeout_s: float = 600
    wait_s: float = 300
    strict: bool = False
    json: bool = False
    output: Path | None = None
    quiet: bool = False
    stream: bool = True

    @property
    def is_new(self) -> bool:
        """Whether a chat begins, and none is continued."""
        return not (self.resume or self.fork)

    @property
    def approvals_folder(self) -> Path | None:
        """The folder in which cards are answered, None for none."""
        return self.approvals if isinstance(self.approvals, Path) else None

    @property
    def tries_sandbox(self) -> bool:
        """Whether it must be known before the first request what commands can reach."""
        return self.mode == PermissionMode.FULL_AUTO.value or self.approvals_folder is not None


def given_by(argv: Sequence[str]) -> Given:
    """The words of the command line. `-` as the task reads standard input.

    Raises:
        StartError: they do not fit together; says why in one sentence.
    """
    words = vars(_parser().parse_args(list(argv)))
    given = Given(
        task=_task(words["task"], resumes=bool(words["resume"])),
        repo=typed_path(words["repo"]).absolute(),
        mode=words["mode"] or "",
        endpoint=words["endpoint"] or "",
        model=words["model"] or "",
        driver=words["driver"],
        without_sandbox=words["without_sandbox"],
        in_checkout=words["in_checkout"],
        resume=words["resume"] or "",
        fork=words["fork"] or "",
        cost_microusd=words["max_cost"],
        steps=words["max_steps"],
        running_s=words["max_minutes"],
        allow=tuple(words["allow"]),
        deny=tuple(words["deny"]),
        approvals=_approvals(words["approvals"]),
        approval_timeout_s=words["approval_timeout"],
        wait_s=words["wait"],
        strict=words["strict"],
        json=words["json"],
        quiet=words["quiet"],
        stream=words["stream"],
        output=typed_path(words["output"]).absolute() if words["output"] else None,
    )
    if given.resume and given.fork:
        raise StartError("--resume and --fork exclude each other: the one goes on in the chat, the other leaves it.")
    if given.driver != OWN_DRIVER and (not given.is_new or given.endpoint or given.model):
        raise StartError("--driver is for a new chat, and its agent has a model of its own: name no other.")
    if given.in_checkout and not given.is_new:
        raise StartError("--in-checkout is for a new chat: one that is continued stays in its lane.")
    return given


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """What is wrong in one sentence, without the usage before it."""
        raise StartError(f"{message}. Try banksman run --help.")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="banksman run",
        description="Run one task without a window.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("task", nargs="?", help="what should be done; - reads it from standard input")
    parser.add_argument("--repo", default=".", metavar="PATH", help="the repository (default: this folder)")
    parser.add_argument("--mode", choices=[mode.value for mode in PermissionMode], help="(default: edit)")
    parser.add_argument(
        "--endpoint", metavar="NAME", help="'demo', an endpoint of the settings, or the address of a server"
    )
    parser.add_argument("--model", metavar="NAME", help="the model's name")
    parser.add_argument("--driver", default=OWN_DRIVER, metavar="AGENT", help="an installed agent that works instead")
    parser.add_argument(
        "--without-sandbox", action="store_true", help="full-auto also where commands cannot be confined fully"
    )
    parser.add_argument("--in-checkout", action="store_true", help="work in the checkout itself, not in a new lane")
    _add_chats(parser)
    _add_consent(parser)
    _add_output(parser)
    return parser


def _add_chats(parser: argparse.ArgumentParser) -> None:
    chats = parser.add_argument_group("a chat that is there, and limits")
    chats.add_argument("--resume", metavar="ID|last", help="go on in this chat; without a task, where it was cut off")
    chats.add_argument("--fork", metavar="ID|last", help="a new chat that goes on from this one, in a lane of its own")
    chats.add_argument("--max-cost", type=_dollars, default=0, metavar="USD", help="end the turn before it costs more")
    chats.add_argument(
        "--max-steps", type=_whole(1, MOST_STEPS), default=0, metavar="N", help="end the turn after so many requests"
    )
    chats.add_argument(
        "--max-minutes",
        type=_minutes,
        default=0,
        metavar="N",
        help="end the turn after so long, waiting not counted",
    )
    chats.add_argument(
        "--wait",
        type=_seconds,
        default=300,
        metavar="SECONDS",
        help="for a run that holds the chats (default: 300)",
    )


def _add_consent(parser: argparse.ArgumentParser) -> None:
    consent = parser.add_argument_group("what may run, and who answers")
    for decision, help_ in (("allow", "run commands that begin with these words"), ("deny", "refuse them")):
        consent.add_argument(
            f"--{decision}", action="append", default=[], metavar="WORDS", help=f"{help_}; for this run, any number"
        )
    consent.add_argument(
        "--approvals",
        metavar="terminal|none|DIR",
        help="where cards are answered: a private folder takes files (default: terminal where there is one)",
    )
    consent.add_argument(
        "--approval-timeout",
        type=_seconds,
        default=600,
        metavar="SECONDS",
        help="after which a card in the folder is declined (default: 600)",
    )
    consent.add_argument(
        "--strict", action="store_true", help="status 4 if a call was declined because nobody could answer"
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="write every event as one line of JSON")
    output.add_argument("--schema", action="store_true", help="print the schema of these lines, and do nothing else")
    output.add_argument(
        "--output",
        metavar="FILE",
        help="write the answer into this file too; with --json the lines go there, and the answer to standard output",
    )
    output.add_argument("--quiet", action="store_true", help="no progress and no summary, only what went wrong")
    output.add_argument("--no-stream", dest="stream", action="store_false", help="write each answer when it is whole")


def _task(typed: str | None, *, resumes: bool) -> str:
    """Raises StartError without a task where a chat begins."""
    if typed is None:
        if not resumes:
            raise StartError('A task is needed: banksman run "TASK". Try banksman run --help.')
        return ""
    return _from_standard_input() if typed == "-" else typed


def _from_standard_input() -> str:
    read = sys.stdin.buffer.read(MOST_TASK_BYTES + 1) if sys.stdin is not None else b""
    if len(read) > MOST_TASK_BYTES:
        raise StartError("The task on standard input is longer than 1 MiB.")
    try:
        return read.decode()
    except UnicodeDecodeError as error:
        raise StartError("The task on standard input is no UTF-8 text.") from error


def _approvals(typed: str | None) -> str | Path:
    here = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    if typed is None:
        return "terminal" if here else "none"
    if typed == "terminal" and not here:
        raise StartError("--approvals terminal needs a terminal: standard input or standard error is none.")
    return typed if typed in ("terminal", "none") else typed_path(typed).absolute()


def _dollars(typed: str) -> int:
    """In microdollars."""
    try:
        amount = Decimal(typed.removeprefix("$"))
        if Decimal("0.01") <= amount <= MICRO:
            return int(amount * MICRO)
    except InvalidOperation:
        pass
    raise argparse.ArgumentTypeError(f"{typed!r} is no amount of dollars, such as 0.50; the least is 0.01")


def _whole(least: int, most: int) -> Callable[[str], int]:
    def read(typed: str) -> int:
        if not (typed.isascii() and typed.isdecimal() and least <= int(typed) <= most):
            raise argparse.ArgumentTypeError(f"{typed!r} is no whole number from {least} to {most:,}")
        return int(typed)

    return read


def _minutes(typed: str) -> int:
    """In seconds."""
    return _whole(1, 100_000)(typed) * 60


def _seconds(typed: str) -> float:
    return float(_whole(0, 10_000_000)(typed))

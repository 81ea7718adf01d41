"""`banksman check KIND`: the application's own judgement, one JSON object a line in, one a line out.

Nothing is run, written, opened for content or sent.
"""

import json
import sys
from collections.abc import Callable, Iterable
from typing import NoReturn, TextIO

from pydantic import JsonValue

from desktop.cli.check_fields import Line
from desktop.domain.core.errors import BanksmanError
from desktop.loading import load

KINDS = ("history", "path", "display", "shell", "sql")
USAGE = "usage: banksman check {kinds}\nReads one JSON object a line, writes one JSON object a line."


def main(argv: list[str]) -> int:
    """Judge each line of standard input by the kind that `argv` names; the exit status is 0 whatever the verdicts.

    A line that cannot be judged gives `{"error": …}`, and the rest goes on. An unknown kind gives exit status 2.
    """
    if len(argv) != 1 or argv[0] not in KINDS:
        print(USAGE.format(kinds="|".join(KINDS)), file=sys.stderr)
        return 2
    answer_lines(judge_of(argv[0]), sys.stdin.buffer, sys.stdout)
    return 0


def judge_of(kind: str) -> Callable[[Line], Line]:
    """The function that answers the lines of a kind. The others are not imported: their parsers take 0.2 s."""
    judge: Callable[[Line], Line] = vars(load(f"desktop.cli.check_{kind}"))[f"check_{kind}"]
    return judge


def answer_lines(judge: Callable[[Line], Line], lines: Iterable[bytes], out: TextIO) -> None:
    """One answer a line, in order, each written out before the next line is read."""
    for line in lines:
        out.write(_answer(judge, line) + "\n")
        out.flush()


def _answer(judge: Callable[[Line], Line], line: bytes) -> str:
    try:
        answer = judge(_object(line))
        return json.dumps(answer, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    except (BanksmanError, ValueError, OSError) as e:
        return json.dumps({"error": str(e) or type(e).__name__})
    except RecursionError:
        return json.dumps({"error": "The line is nested too deeply."})


def _object(line: bytes) -> Line:
    parsed: JsonValue = json.loads(line, parse_constant=_no_constant)
    if not isinstance(parsed, dict):
        raise ValueError("The line is not a JSON object.")
    return parsed


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON.")

"""`banksman check KIND`: the application's own judgement, one JSON object a line in, one a line out.

Nothing is run, written, opened for content or sent.
"""

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NoReturn, TextIO, cast

from pydantic import JsonValue

from desktop.cli.check_display import check_display
from desktop.cli.check_shell import check_shell
from desktop.cli.check_sql import check_sql
from desktop.domain.errors import BanksmanError
from desktop.domain.history import reconstruct
from desktop.domain.neutral import Neutral, load_neutral
from desktop.policy.paths import workspace_verdict
from desktop.services.lane_files import LaneFiles

Line = dict[str, JsonValue]

USAGE = "usage: banksman check {kinds}\nReads one JSON object a line, writes one JSON object a line."


def main(argv: list[str]) -> int:
    """Judge each line of standard input by the kind that `argv` names; the exit status is 0 whatever the verdicts.

    A line that cannot be judged gives `{"error": …}`, and the rest goes on. An unknown kind gives exit status 2.
    """
    judge = KINDS.get(argv[0]) if len(argv) == 1 else None
    if judge is None:
        print(USAGE.format(kinds="|".join(KINDS)), file=sys.stderr)
        return 2
    answer_lines(judge, sys.stdin.buffer, sys.stdout)
    return 0


def answer_lines(judge: Callable[[Line], Line], lines: Iterable[bytes], out: TextIO) -> None:
    """One answer a line, in order, each written out before the next line is read."""
    for line in lines:
        out.write(_answer(judge, line) + "\n")
        out.flush()


def check_history(line: Line) -> Line:
    """`{"events": […], "session"?, "at"?}` → the message list, and what in it is not as recorded.

    Raises:
        ValueError: a field is missing or has a wrong type; NeutralError, StoreError: the log cannot be rebuilt.
    """
    events = line.get("events")
    if not isinstance(events, list):
        raise ValueError("The field events must be a list.")
    log = load_neutral(cast(list[Neutral], events))
    rebuilt = reconstruct(log, at=_optional_text(line, "at"), session_id=_optional_text(line, "session"))
    return {
        "messages": cast(list[JsonValue], rebuilt.messages),
        "meta": {
            "synthetic": cast(Line, rebuilt.synthetic),
            "unrecoverable_inputs": list(rebuilt.unrecoverable),
            "dropped_results": list(rebuilt.dropped_results),
        },
    }


def check_path(line: Line) -> Line:
    """`{"workspace", "path", "op": "read" | "write"}` → `{"verdict", "reason"}`, judged on the real disk.

    Raises:
        ValueError: a field is missing or has a wrong type, or there is no such workspace.
    """
    workspace, path, op = (_text(line, name) for name in ("workspace", "path", "op"))
    if op not in ("read", "write"):
        raise ValueError("The field op must be read or write.")
    root = Path(workspace)
    if not root.is_absolute() or not root.is_dir():
        raise ValueError("The field workspace must be the absolute path of a folder.")
    lane = LaneFiles(root)
    facts = lane.resolve(path, "write" if op == "write" else "read")
    if op == "read" and facts.kind == "dir":
        facts = lane.resolve(path, "list")
    verdict, reason = workspace_verdict(facts)
    return {"verdict": verdict, "reason": reason}


KINDS: dict[str, Callable[[Line], Line]] = {
    "history": check_history,
    "path": check_path,
    "display": check_display,
    "shell": check_shell,
    "sql": check_sql,
}


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


def _text(line: Line, name: str) -> str:
    value = line.get(name)
    if not isinstance(value, str):
        raise ValueError(f"The field {name} must be a string.")
    return value


def _optional_text(line: Line, name: str) -> str | None:
    return None if line.get(name) is None else _text(line, name)

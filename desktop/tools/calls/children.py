"""What the model and people are told of a sub-agent by the tools that look at one."""

from pydantic import JsonValue

from desktop.tools.offers import ChildReport
from desktop.tools.text import LIMIT, clip
from desktop.tools.tool import ToolResult

_ROOM = 1_000


def words_of(line: str, text: str) -> str:
    """What a task came to, and below it its last words as far as there is room."""
    return f"{line}\n{clip(text, LIMIT - _ROOM)}" if text else line


def child_data(report: ChildReport) -> dict[str, JsonValue]:
    """The task for the window and for who reads the log."""
    return {"child_id": report.child_id, "task_id": report.task_id, "agent": report.agent, "state": report.state}


def child_result(report: ChildReport) -> ToolResult:
    """The result of a call that began or looked at this task."""
    return ToolResult(
        text=words_of(report.line, report.text),
        is_error=not report.ok,
        summary=report.line.partition("\n")[0][:120],
        data=child_data(report),
        follow=report.follow,
    )

"""`banksman check path`: where a path leads."""

from pathlib import Path

from desktop.cli.check_fields import Line, text_field
from desktop.policy.paths import workspace_verdict
from desktop.services.files.lane_files import LaneFiles


def check_path(line: Line) -> Line:
    """`{"workspace", "path", "op": "read" | "write"}` → `{"verdict", "reason"}`, judged on the real disk.

    Raises:
        ValueError: a field is missing or has a wrong type, or there is no such workspace.
    """
    workspace, path, op = (text_field(line, name) for name in ("workspace", "path", "op"))
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

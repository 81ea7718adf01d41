"""The sample cases of paths, on a real disk."""

import json
import os
import socket
from pathlib import Path

import pytest

from desktop.policy.paths import workspace_verdict
from desktop.services.files.lane_files import LaneFiles

_CASES = Path(__file__).parents[2] / "cases"
CASES = [
    case
    for name in ("path_cases.json", "path_cases_2.json")
    for case in json.loads((_CASES / name).read_text(encoding="utf-8"))
]


def build(root: Path, setup: list[dict[str, str]]) -> None:
    for item in setup:
        path = root / item["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        kind = item["type"]
        if kind == "dir":
            path.mkdir(exist_ok=True)
        elif kind == "file":
            path.write_text(item.get("content", ""), encoding="utf-8")
        elif kind == "symlink":
            path.symlink_to(item["target"].replace("{ROOT}", str(root)))
        elif kind == "hardlink":
            path.hardlink_to(root / item["target"])
        elif kind == "fifo":
            os.mkfifo(path)
        elif kind == "socket":
            bind_short(path)
        else:
            pytest.fail(f"unknown kind {kind}")


def bind_short(path: Path) -> None:
    """Bind by a handle: the path of a socket may not be long."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"/proc/self/fd/{folder}/{path.name}")
    finally:
        os.close(folder)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_sample_path_is_judged_as_expected(tmp_path: Path, case: dict) -> None:
    build(tmp_path, case["setup"])
    files = LaneFiles(tmp_path / case["workspace"], windows=case.get("platform") == "windows")
    facts = files.resolve(case["path"].replace("{ROOT}", str(tmp_path)), case["op"])
    assert workspace_verdict(facts)[0] == case["expect"], (case["why"], facts)

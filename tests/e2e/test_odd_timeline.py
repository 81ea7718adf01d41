"""Every button of the timeline of a lane, on a repository as real ones are; the person's checkout stays as it is."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QCheckBox

from desktop.ui.history.timeline import TimelinePanel
from tests.agent.rig import git
from tests.e2e.conftest import WAIT_MS, Desk
from tests.e2e.hands import Hands
from tests.e2e.odd_repository import ABOUT, WINDOWS, make_odd_repository
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.services.merge_place import checkout_hash

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
DRIVES: frozenset[str] = frozenset({
    "action_tab_timeline", "bring_back_cancel", "bring_back_files", "bring_back_go", "checkpoint_cancel",
    "checkpoint_go", "comparison_put_back", "restore_cancel", "restore_go", "timeline_compare", "timeline_fork",
    "timeline_new", "timeline_refresh", "timeline_restore", "timeline_rewind",
})  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_odd_repository(tmp_path, remote=False, huge=False)


@pytest.mark.timeout(240)
def test_checkpoints_are_taken_compared_put_back_and_forked_by_every_button(
    start: Callable[[], Desk], repository: Path, model_api: FakeModelApi
) -> None:
    before = checkout_hash(repository)
    hands = Hands(start())
    timeline = hands.inspector.of(TimelinePanel)
    model_api.script(
        tool_turn("read_file", file_path=ABOUT),
        tool_turn("write_file", file_path=ABOUT, content="# Über uns\n\nGeändert\n"), text_turn("Changed it."),
    )  # fmt: skip
    hands.desk.send("Change it")
    hands.until(lambda: "Changed it." in hands.desk.transcript_text(), "the turn")
    hands.desk.idle()
    source = hands.desk.window.page.session_id
    folder = Path(hands.desk.window.lane_host.lanes()[-1].worktree_path)
    hands.act("tab_timeline")
    rewind(hands, folder)
    hands.press("timeline_new")
    hands.press("checkpoint_cancel")
    (folder / "win.txt").write_bytes(WINDOWS[:40])
    hands.press("timeline_new")
    hands.write("checkpoint_name", "Größe & Maß")
    hands.press("checkpoint_go")
    hands.until(lambda: any("Größe & Maß" in timeline.row(n).title for n in range(len(timeline.model.rows))), "it")
    with hands.desk.qtbot.waitSignal(timeline.model.layoutChanged, timeout=WAIT_MS, raising=False):
        hands.press("timeline_refresh")

    oldest = len(timeline.model.rows) - 1
    timeline.select(0, oldest)
    hands.press("timeline_compare")
    hands.until(lambda: "→" in hands.text("comparison_said"), "two compared")
    timeline.select(len(timeline.model.rows) - 1)
    (folder / "win.txt").write_bytes(b"away")
    told = hands.desk.transcript_text().count("put back")
    hands.press("timeline_compare")
    hands.press("comparison_put_back")
    hands.until(
        lambda: (
            (folder / "win.txt").read_bytes() == WINDOWS or (folder / ABOUT).read_text() != "# Über uns\n\nGeändert\n"
        ),
        "the file to be back",
    )
    hands.until(lambda: hands.desk.transcript_text().count("put back") > told, "the row that tells of it")
    timeline.select(len(timeline.model.rows) - 1)
    hands.press("timeline_restore")
    hands.press("restore_cancel")
    timeline.select(len(timeline.model.rows) - 1)
    hands.press("timeline_restore")
    hands.press("restore_go")
    hands.until(
        lambda: (
            (folder / "win.txt").read_bytes() == WINDOWS
            and (folder / ABOUT).read_text(encoding="utf-8") == "# Über uns\n\nGrüße\n"
        ),
        "all files to be back",
    )

    timeline.select(len(timeline.model.rows) - 1)
    hands.press("timeline_fork")
    hands.until(lambda: hands.desk.window.page.session_id not in ("", source), "the fork")
    assert checkout_hash(repository) == before
    assert git(repository, "stash", "list") == ""
    hands.check(DRIVES)


def rewind(hands: Hands, folder: Path) -> None:
    """To the beginning of the turn, with its files; and back."""
    timeline = hands.inspector.of(TimelinePanel)
    hands.until(lambda: len(timeline.model.rows) > 0, "the checkpoints")
    timeline.select(len(timeline.model.rows) - 1)
    hands.press("timeline_rewind")
    files = hands.desk.see("rewind_files")
    assert isinstance(files, QCheckBox)
    files.setChecked(True)
    hands.desk.click("rewind_go")
    hands.until(lambda: (folder / ABOUT).read_text(encoding="utf-8") == "# Über uns\n\nGrüße\n", "the file to be back")
    hands.until(lambda: "rewound message" in hands.desk.transcript_text(), "the rewind")
    transcript = hands.desk.window.page.transcript
    for end in ("cancel", "go"):
        rewound = next(row for row in reversed(transcript.model.rows) if row.kind == "rewound")
        assert transcript.activate(rewound.key, "bring_back")
        hands.tick("bring_back_files", on=False)
        hands.tick("bring_back_files")
        hands.press(f"bring_back_{end}")
    hands.until(lambda: "rewound message" not in hands.desk.transcript_text(), "the messages to be back")
    hands.until(lambda: "Geändert" in (folder / ABOUT).read_text(encoding="utf-8"), "the file as it was")

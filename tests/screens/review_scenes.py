"""Scenes of a review: the diff with comments, large and side by side, ticks and the commit box, pictures, states."""

from collections.abc import AsyncIterator
from pathlib import Path

from PySide6.QtCore import QBuffer, Qt
from PySide6.QtGui import QColor, QImage, QLinearGradient, QPainter
from PySide6.QtWidgets import QPlainTextEdit

from desktop.domain.changes.commands import SaveComment, SendComments
from desktop.domain.changes.values import ChangeScope, ReviewComment
from desktop.domain.core.ids import new_id
from desktop.ui.changes.panel import ChangesPanel
from desktop.ui.changes.tab import ChangesTab
from desktop.ui.window.inspector import Inspector
from tests.fakes.fake_model_api import Call, text_turn, tool_turn, turn
from tests.screens.samples import NEW, OLD, TASK, TEST
from tests.screens.stage import Stage

PATH = "auth/middleware.py"
ODD = '"""Odd\u202e text."""\n\n\nROLE\t= "admin"  \nPRICE = 7' + "\n"
ODDER = '"""Odd\u202e text."""\n\n\nROLE\t= "\u2066admin\u2069"  \nPRICE = 8'


async def _reviewed(stage: Stage) -> tuple[str, ChangesPanel, Path]:
    """A chat that changed four files, its Changes tab, and its lane's folder."""
    changes = [
        Call("edit_file", {"file_path": PATH, "old_string": OLD, "new_string": NEW}),
        Call("write_file", {"file_path": "tests/test_auth.py", "content": TEST}),
        Call("edit_file", {"file_path": "shop/retry.py", "old_string": "LIMIT = 5", "new_string": "LIMIT = 8"}),
    ]
    reads = [Call("read_file", {"file_path": path}) for path in (PATH, "shop/retry.py")]
    chat = await stage.chat(
        TASK, turn("I look first.", reads), turn("", changes), text_turn("Done."), title="Fix login redirect loop"
    )
    await stage.ended(chat)
    await stage.show_tab("Changes")
    lane = next(lane for lane in stage.window.book.lanes if lane.id == stage.window.book.facts(chat).lane_id)
    inspector = stage.window.findChild(Inspector)
    assert isinstance(inspector, Inspector)
    panel = inspector.of(ChangesTab)
    await stage.until(lambda: panel.chosen.shown, "the diff")
    return chat, panel, Path(lane.worktree_path)


def _comment(first: int, last: int, text: str, **more: object) -> ReviewComment:
    values = {"comment_id": new_id("cmt_"), "path": PATH, "first": first, "last": last, "text": text, **more}
    return ReviewComment.model_validate(values)


async def _load(stage: Stage, panel: ChangesPanel, path: str) -> None:
    panel.load()
    await stage.until(lambda: path in panel.tree.paths(), path)
    panel.choose_file(path)
    await stage.until(lambda: panel.chosen.path == path and panel.chosen.shown, f"the diff of {path}")
    await stage.rest(0.4)


async def review_comments(stage: Stage) -> AsyncIterator[str]:
    """60"""
    chat, panel, _lane = await _reviewed(stage)
    stage.script(TASK, text_turn("I keep it now."))
    lane_id = panel.loader.lane_id
    stage.send(SaveComment(lane_id=lane_id, comment=_comment(18, 19, "Is login() not redirected elsewhere?")))
    await stage.until(lambda: panel.notes.drafts == 1, "the draft")
    stage.send(SendComments(lane_id=lane_id, session_id=chat))
    await stage.ended(chat, 2)
    stage.send(SaveComment(lane_id=lane_id, comment=_comment(17, 17, "Keep the fragment of the address.")))
    await stage.until(lambda: panel.notes.drafts == 1, "another draft")
    await _load(stage, panel, PATH)
    panel.pane.view.verticalScrollBar().setValue(0)
    yield "60-review-comments"
    panel.pane.view.go_to(next(n for n, row in enumerate(panel.pane.view.rows) if row.kind == "line"))
    panel.pane.view.open_field()
    field = await stage.find("changes_comment_field")
    assert isinstance(field, QPlainTextEdit)
    field.setPlainText("Why is it compared again?")
    await stage.rest(0.3)
    yield "60-review-writing"


async def review_large(stage: Stage) -> AsyncIterator[str]:
    """61"""
    _chat, panel, lane = await _reviewed(stage)
    stage.send(SaveComment(lane_id=panel.loader.lane_id, comment=_comment(17, 17, "Keep the fragment of the address.")))
    await stage.until(lambda: panel.notes.drafts == 1, "the draft")
    panel.pane.set_split(True)
    await stage.click("changes_large")
    panel.pane.view.go_to(3)
    await stage.rest(0.4)
    yield "61-review-large"
    (lane / "shop" / "odd.py").write_text(ODDER, encoding="utf-8", newline="")
    await _load(stage, panel, "shop/odd.py")
    yield "61-review-odd-characters"


async def review_commit(stage: Stage) -> AsyncIterator[str]:
    """62"""
    _chat, panel, _lane = await _reviewed(stage)
    await stage.click("commit_open")
    await stage.until(lambda: panel.is_committing and panel.chosen.shown, "the uncommitted changes")
    panel.pane.view.go_to(4)
    panel.pane.view.tick_current()
    panel.pane.view.setFocus(Qt.FocusReason.TabFocusReason)
    await stage.rest(0.4)
    yield "62-review-commit-nothing-written"
    message = await stage.find("commit_message")
    assert isinstance(message, QPlainTextEdit)
    message.setPlainText("auth: drop the parameter of an earlier round before redirecting to the login page")
    await stage.rest(0.3)
    yield "62-review-commit"


def _picture(color: str) -> bytes:
    image = QImage(240, 120, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    shade = QLinearGradient(0, 0, 240, 120)
    shade.setColorAt(0, QColor(color))
    shade.setColorAt(1, QColor("white"))
    painter.fillRect(image.rect(), shade)
    painter.end()
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())


async def review_states(stage: Stage) -> AsyncIterator[str]:
    """63"""
    _chat, panel, lane = await _reviewed(stage)
    (lane / "docs" / "logo.png").write_bytes(_picture("orange"))
    await _load(stage, panel, "docs/logo.png")
    yield "63-review-picture"
    (lane / "docs" / "data.bin").write_bytes(bytes(range(256)) * 40)
    await _load(stage, panel, "docs/data.bin")
    yield "63-review-binary"
    (lane / "docs" / "long.csv").write_text("".join(f"{n},{n * n}\n" for n in range(12_400)))
    await _load(stage, panel, "docs/long.csv")
    yield "63-review-large-guard"
    await stage.click("changes_filter_toggle")
    await stage.type("changes_filter", "docs")
    await stage.rest(0.3)
    yield "63-review-filter"
    await stage.click("changes_filter_toggle")
    panel.choose_scope(ChangeScope(kind="commit", reference="no-such"))
    await stage.until(lambda: panel.problem_line.isVisible() or None, "the problem")
    yield "63-review-failed"
    panel.choose_scope(ChangeScope(kind="commit", reference="HEAD"))
    await stage.until(lambda: panel.list, "the commit")
    yield "63-review-a-commit"


async def review_nothing(stage: Stage) -> AsyncIterator[str]:
    """64"""
    read = tool_turn("read_file", file_path=PATH)
    chat = await stage.chat(TASK, read, text_turn("Nothing to change."), title="Fix login redirect loop")
    await stage.ended(chat)
    await stage.show_tab("Changes")
    await stage.rest(0.5)
    yield "64-review-nothing"

"""Every button of the Changes tab, on a repository as real ones are; the person's checkout stays as it is."""

import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from desktop.config.settings_file import load_settings, save_settings
from desktop.ui.changes.tab import ChangesTab
from tests.agent.rig import git
from tests.e2e.conftest import WAIT_MS, Desk
from tests.e2e.hands import Hands, Opened
from tests.e2e.odd_repository import ABOUT, WINDOWS, contents, make_odd_repository
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.services.merge_place import checkout_hash

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
DRIVES: frozenset[str] = frozenset({
    "changes_whole",
    "action_changes_comment", "action_changes_commit", "action_changes_editor", "action_changes_filter",
    "action_changes_large", "action_changes_more_lines", "action_changes_next_change", "action_changes_next_file",
    "action_changes_previous_change", "action_changes_previous_file", "action_changes_push",
    "action_changes_revert_change", "action_changes_revert_file", "action_changes_send_comments",
    "action_changes_split", "action_changes_unified", "action_changes_viewed", "action_changes_whole_file",
    "action_tab_changes", "changes_comment", "changes_comment_add", "changes_comment_cancel", "changes_comment_edit",
    "changes_comment_remove", "changes_comment_resolve", "changes_comments_send", "changes_commit_cancel",
    "changes_commit_go", "changes_copy", "changes_copy_path", "changes_diff_style", "changes_filter_toggle",
    "changes_find_close", "changes_find_next", "changes_find_previous", "changes_flat", "changes_large",
    "changes_mark_viewed", "changes_menu", "changes_more", "changes_more_files", "changes_open_file", "changes_open_pr",
    "changes_problem_again", "changes_refresh", "changes_revert_all", "changes_revert_change", "changes_revert_file",
    "changes_revert_go", "changes_revert_keep", "changes_scope_commit", "changes_scope_lane", "changes_scope_last_turn",
    "changes_scope_more", "changes_scope_outside", "changes_scope_turn", "changes_scope_uncommitted",
    "changes_show_folder", "changes_show_large", "changes_space", "changes_tick_hunk", "changes_viewed", "changes_wrap",
    "commit_amend", "commit_button", "commit_held_go", "commit_held_keep", "commit_open", "commit_push",
    "commit_push_go", "commit_push_keep", "commit_suggest", "toast_action",
})  # fmt: skip
DEEP = "src/Größe & Maß/total ü.py"
CODE = "".join(f"line_{n} = {n}\n" for n in range(60))
CHANGED = CODE.replace("line_5 = 5", "line_5 = 'five'").replace("line_50 = 50", "line_50 =  50")
LARGE = "".join(f"{n}\n" for n in range(6_000))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_odd_repository(tmp_path, remote=True, huge=False, more={DEEP: CODE})


@pytest.fixture
def editor(start: Callable[[], Desk], tmp_path: Path) -> Path:
    """An editor that notes what it is given; where it notes that."""
    notes = tmp_path / "edited.txt"
    script = tmp_path / "edit.sh"
    script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$1" >> {notes}\n')
    script.chmod(0o755)
    file = tmp_path / "home" / "config" / "settings.toml"
    settings = load_settings(file).model_copy(update={"editor": (str(script), "{path}")})
    save_settings(file, settings)
    return notes


@pytest.mark.timeout(240)
def test_changes_are_looked_at_commented_reverted_and_committed_by_every_button(
    start: Callable[[], Desk], repository: Path, editor: Path, model_api: FakeModelApi
) -> None:
    before = checkout_hash(repository)
    hands = Hands(start())
    model_api.script(
        tool_turn("read_file", file_path=DEEP),
        tool_turn("write_file", file_path=DEEP, content=CHANGED), text_turn("Changed it."),
    )  # fmt: skip
    hands.desk.send("Change it")
    hands.until(lambda: "Changed it." in hands.desk.transcript_text(), "the turn")
    hands.desk.idle()
    lane = hands.desk.window.lane_host.lanes()[-1]
    folder = Path(lane.worktree_path)
    (folder / "win.txt").write_bytes(WINDOWS.replace(b"line 1\r", b"first\r"))
    (folder / ABOUT).unlink()
    (folder / "viel.txt").write_text(LARGE)
    review = Review(hands, folder)
    review.look_around(editor)
    review.comment(model_api)
    review.revert()
    review.commit(model_api)
    assert checkout_hash(repository) == before
    files = contents(repository)
    review.push(repository)
    review.fail()
    assert contents(repository) == files
    assert git(repository, "status", "--porcelain", "--branch") == "## main...origin/main\n"
    assert git(repository, "stash", "list") == ""
    hands.check(DRIVES)


class Review:
    """A person at the Changes tab of a lane."""

    def __init__(self, hands: Hands, folder: Path) -> None:
        self.hands, self.folder = hands, folder
        self.panel = hands.inspector.of(ChangesTab)

    def listed(self, *paths: str) -> None:
        """Wait for this list of files."""
        self.hands.until(lambda: set(self.panel.tree.paths()) == set(paths), f"{paths}: {self.panel.tree.paths()}")

    def choose(self, path: str) -> None:
        """Show the diff of a file."""

        self.hands.until(lambda: self.is_shown(path), path)

    def is_shown(self, path: str) -> bool:
        """Choose a file, which an older list that still comes may not have; whether its diff is there."""
        self.panel.choose_file(path)
        return self.panel.chosen.shown is not None and self.panel.chosen.shown.path == path

    def look_around(self, editor: Path) -> None:
        """Scopes, the filter, the list, the ways to show a diff, the menu of a file."""
        hands, panel = self.hands, self.panel
        view = panel.pane.view
        hands.act("tab_changes")
        hands.press("changes_refresh")
        everything = (DEEP, "win.txt", ABOUT, "viel.txt")
        self.listed(*everything)
        hands.press("changes_scope_last_turn")
        self.listed(DEEP)
        hands.press("changes_scope_uncommitted")
        self.listed(*everything)
        for entry, paths in (("turn", {DEEP}), ("outside", {"win.txt", ABOUT, "viel.txt"})):
            hands.press("changes_scope_more")
            hands.pick(f"changes_scope_{entry}")
            self.listed(*paths)
        for end in ("cancel", "go"):
            hands.press("changes_scope_more")
            hands.pick("changes_scope_commit")
            if end == "go":
                hands.write("changes_commit_name", "HEAD")
            hands.press(f"changes_commit_{end}")
        hands.until(lambda: "lib" in panel.tree.paths(), "the first commit of odd things")
        hands.press("changes_scope_lane")
        self.listed(*everything)

        hands.press("changes_open_pr")
        hands.desk.see("pr_panel")
        hands.act("tab_changes")
        hands.press("changes_filter_toggle")
        hands.write("changes_filter", "über")
        self.listed(ABOUT)
        hands.press("changes_filter_toggle")
        self.listed(*everything)
        hands.act("changes_filter")
        hands.desk.see("changes_filter")
        rows = panel.files.model().rowCount()
        hands.press("changes_flat")
        assert panel.files.model().rowCount() < rows
        hands.press("changes_flat")

        self.choose("viel.txt")
        hands.press("changes_show_large")
        hands.until(view.isVisible, "the large diff")
        self.choose("win.txt")
        hands.hit("changes_whole")
        hands.until(lambda: len(view.rows) >= 20, "the whole file")
        self.choose(DEEP)
        hands.act("changes_next_file")
        hands.act("changes_previous_file")
        self.choose(DEEP)
        hands.act("changes_next_change")
        hands.act("changes_next_change")
        last = view.current
        hands.act("changes_previous_change")
        assert view.current < last
        hands.press("changes_viewed")
        hands.until(lambda: panel.tree.is_viewed(DEEP), "viewed")
        hands.act("changes_viewed")
        hands.until(lambda: not panel.tree.is_viewed(DEEP), "not viewed")
        hands.press("changes_wrap")
        hands.press("changes_space")
        hands.until(lambda: panel.chosen.shown is not None and len(panel.chosen.shown.hunks) == 1, "no white space")
        hands.press("changes_space")
        hands.until(lambda: panel.chosen.shown is not None and len(panel.chosen.shown.hunks) == 2, "all of it")
        hands.hit("changes_more")
        hands.until(lambda: len(view.rows) > 40, "more lines")
        hands.act("changes_more_lines")
        hands.act("changes_whole_file")
        hands.until(lambda: len(view.rows) >= 60, "the whole file")
        hands.press("changes_large")
        hands.press("changes_diff_style")
        hands.until(lambda: view.shape_of.split, "side by side")
        hands.act("changes_unified")
        assert not view.shape_of.split
        hands.act("changes_split")
        hands.act("changes_unified")
        hands.act("changes_large")
        view.setFocus()
        hands.key("changes_diff", Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        hands.write("changes_find_text", "line_5")
        for way in ("next", "previous", "close"):
            hands.press(f"changes_find_{way}")
        hands.desk.gone("changes_find")

        for entry in ("copy_path", "open_file", "mark_viewed", "show_folder", "copy"):
            if entry == "copy":
                view.select_all()
            hands.press("changes_menu")
            with Opened() as opened:
                hands.pick(f"changes_{entry}")
            if entry == "show_folder":
                assert opened.urls == [str((self.folder / DEEP).parent)]
            if entry == "copy_path":
                assert QGuiApplication.clipboard().text() == DEEP
        assert "line_5 = 'five'" in QGuiApplication.clipboard().text()
        hands.act("changes_editor")
        hands.until(lambda: editor.exists() and len(editor.read_text().splitlines()) == 2, "the editor")
        assert set(editor.read_text().splitlines()) == {str(self.folder / DEEP)}

    def comment(self, model_api: FakeModelApi) -> None:
        """Comments are written, changed, taken away, sent and dealt with."""
        hands, panel = self.hands, self.panel
        view = panel.pane.view
        panel.chosen.load_again()
        self.choose(DEEP)
        view.go_to(2)
        hands.act("changes_comment")
        hands.press("changes_comment_cancel")
        for words in ("away", "Grüße?"):
            hands.press("changes_menu")
            hands.pick("changes_comment")
            hands.write("changes_comment_field", words)
            hands.press("changes_comment_add")
            hands.until(lambda: panel.notes.drafts == 1, "the draft")
            if words == "away":
                hands.press("changes_comment_remove")
                hands.until(lambda: panel.notes.drafts == 0, "no draft")
        hands.press("changes_comment_edit")
        hands.write("changes_comment_field", "Größe?")
        hands.press("changes_comment_add")
        model_api.script(text_turn("Because."), text_turn("Again."))
        hands.press("changes_comments_send")
        hands.until(lambda: "Because." in hands.desk.transcript_text(), "the answer")
        hands.desk.idle()
        assert "Größe?" in str(model_api.requests[-1].messages[-1])
        for state in ("resolved", "sent", "resolved"):
            hands.press("changes_comment_resolve")
            hands.until(lambda one=state: panel.notes.comments[0].state == one, state)
        view.go_to(2)
        hands.act("changes_comment")
        hands.write("changes_comment_field", "One more")
        hands.press("changes_comment_add")
        hands.until(lambda: panel.notes.drafts == 1, "the draft")
        hands.act("changes_send_comments")
        hands.until(lambda: "Again." in hands.desk.transcript_text(), "the answer")
        hands.desk.idle()

    def revert(self) -> None:
        """Lines, a change, a file, all; each is taken back with Undo."""
        hands, panel = self.hands, self.panel
        held = self.bytes()
        reverts: list[tuple[str, Callable[[], object]]] = [
            ("hit", lambda: hands.hit("changes_revert_change")),
            ("palette", lambda: (panel.pane.view.go_to(2), hands.act("changes_revert_change"))),
            ("menu", lambda: (panel.pane.view.go_to(2), hands.from_menu("changes_menu", "changes_revert_change"))),
            ("file", lambda: hands.from_menu("changes_menu", "changes_revert_file")),
            ("palette file", lambda: hands.act("changes_revert_file")),
            ("all", lambda: hands.from_menu("changes_menu", "changes_revert_all")),
        ]
        for what, ask in reverts:
            hands.until(lambda: self.is_shown(DEEP) and self.is_as_on_disk(), f"the list and the diff before {what}")
            ask()
            if what == "hit":
                hands.press("changes_revert_keep")
                hands.hit("changes_revert_change")
            hands.press("changes_revert_go")
            hands.until(lambda: self.bytes() != held, f"revert: {what}")
            with hands.desk.qtbot.waitSignal(hands.inspector.of(ChangesTab).review.noted, timeout=WAIT_MS):
                hands.press("toast_action")
            assert self.bytes() == held, f"undo: {what}"
            panel.load()

    def is_as_on_disk(self) -> bool:
        """Whether the list and the diff that is shown tell of the files as they are now."""
        named, disk = self.panel.chosen.named, self.bytes()
        files = {file.path: file.sha256 for file in self.panel.tree.files}
        hashes = {path: sha256(held).hexdigest() if held is not None else "" for path, held in disk.items()}
        return named is not None and files == hashes and named.sha256 == hashes[DEEP]

    def commit(self, model_api: FakeModelApi) -> None:
        """In parts, with a message that is suggested, amended, with what is held back."""
        hands, panel = self.hands, self.panel
        hands.act("changes_commit")
        hands.until(lambda: panel.is_committing, "ticks")
        self.choose(DEEP)
        hands.hit("changes_tick_hunk")
        model_api.script(text_turn("Größe: say it in words"))
        hands.press("commit_suggest")
        hands.until(lambda: "Größe" in hands.text("commit_message"), "the message")
        hands.press("commit_button")
        self.subject("Größe: say it in words")
        assert git(self.folder, "show", f"HEAD:{DEEP}") == CODE.replace("line_50 = 50", "line_50 =  50")
        (self.folder / ".env").write_text("KEY=1\n")
        hands.press("changes_scope_lane")
        hands.press("commit_open")
        hands.until(lambda: ".env" in panel.tree.paths() and self.tick_all(), "all ticked")
        hands.tick("commit_amend")
        hands.write("commit_message", "Größe & alles")
        hands.press("commit_button")
        hands.press("commit_held_keep")
        hands.press("commit_button")
        hands.press("commit_held_go")
        self.subject("Größe & alles")
        hands.until_told("Größe & alles")
        assert git(self.folder, "status", "--porcelain") == ""
        assert git(self.folder, "rev-list", "--count", "main..HEAD").strip() == "1"

    def tick_all(self) -> bool:
        for file in self.panel.tree.files:
            self.panel.files.tick_asked.emit(file.path, True)
        return bool(self.panel.tree.files) and all(self.panel.picks.state(file) == 2 for file in self.panel.tree.files)

    def push(self, repository: Path) -> None:
        """A first time, and again after a rewrite, which is asked about."""
        hands = self.hands
        branch = git(self.folder, "branch", "--show-current").strip()
        remote = repository.parent / "origin.git"
        hands.press("commit_push")
        hands.until(lambda: branch in git(remote, "branch", "--format=%(refname:short)"), "the push")
        git(self.folder, "commit", "-q", "--amend", "-m", "rewritten")
        hands.press("changes_refresh")
        hands.until(lambda: hands.shows("commit_push"), "something to push")

        def is_asked() -> bool:
            """A first press may only tell that the branch was rewritten outside of the window."""
            if not hands.shows("commit_push_keep") and hands.is_on("commit_push"):
                hands.press("commit_push")
            return hands.shows("commit_push_keep")

        hands.until(is_asked, "the question")
        hands.press("commit_push_keep")
        hands.act("changes_push")
        hands.press("commit_push_go")
        hands.until(lambda: git(remote, "log", "-1", "--format=%s", branch) == "rewritten\n", "the push")

    def fail(self) -> None:
        """More files than are listed at once; then git cannot read the lane for a while."""
        hands, panel = self.hands, self.panel
        (self.folder / "viele").mkdir()
        for n in range(305):
            (self.folder / "viele" / f"Stück {n}").write_text("1\n")
        hands.press("changes_refresh")
        hands.press("changes_more_files")
        hands.until(lambda: len(panel.tree.paths()) == 305, "all of them")
        shutil.rmtree(self.folder / "viele")
        (self.folder / "win.txt").write_bytes(WINDOWS)
        (self.folder / ABOUT).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / ABOUT).write_text("# Über uns\n", encoding="utf-8")
        hands.press("changes_refresh")
        self.listed("win.txt", ABOUT)
        self.choose("win.txt")
        index = Path(git(self.folder, "rev-parse", "--path-format=absolute", "--git-path", "index").strip())
        held = index.read_bytes()
        index.write_bytes(b"no index")
        hands.press("changes_refresh")
        hands.until(lambda: hands.shows("changes_problem_again"), "a list that failed")
        index.write_bytes(held)
        hands.press("changes_problem_again")
        hands.desk.gone("changes_problem_again")
        self.choose(ABOUT)

    def subject(self, words: str) -> None:
        """Wait for the last commit to say this."""
        self.hands.until(
            lambda: git(self.folder, "log", "-1", "--format=%s").strip() == words, f"{words}; {self.hands.told()}"
        )

    def bytes(self) -> dict[str, bytes | None]:
        """What the changed files hold."""
        paths = (DEEP, "win.txt", ABOUT, "viel.txt")
        return {path: (self.folder / path).read_bytes() if (self.folder / path).exists() else None for path in paths}

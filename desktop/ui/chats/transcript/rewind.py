"""RewindDialog: what leaves the conversation, which files can be put back, and what is not undone (sessions-SF6)."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from desktop.domain.chats.updates import RewindPreviewed
from desktop.domain.display.text import display_text
from desktop.language import number, said, tr, trn
from desktop.ui.text.call_titles import call_title
from desktop.ui.text.format import count
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label
from desktop.ui.widgets.dialogs.ask import AskDialog, Question
from desktop.ui.widgets.dialogs.file_list import FileList

_MOST_NAMED = 6
_OUTSIDE = tr(
    "Some were not changed by the agent: what you or another program wrote there goes too. A checkpoint of the files "
    "as they are now is taken first, so “Bring back” restores it."
)


class RewindDialog(AskDialog):
    """`rewind_asked`: whether files are put back too; `entry_asked`: an entry that a person wants to look at."""

    rewind_asked = Signal(bool)
    entry_asked = Signal(str)

    def __init__(self, preview: RewindPreviewed, *, to_message: bool, running: bool, parent: QWidget) -> None:
        """`to_message`: to before a message of the person; `running`: a turn runs and is stopped first."""
        title = tr("Rewind to before this message?") if to_message else tr("Rewind to here?")
        question = Question(
            "rewind_dialog",
            title,
            leaving_words(preview, running=running),
            (tr("Cancel"), "rewind_cancel"),
            (tr("Rewind"), "rewind_go"),
            dangerous=False,
        )
        super().__init__(question, parent)
        self.files: QCheckBox | None = None
        self._add_files(preview)
        self._add_not_undone(preview)
        self._add_commits(preview)
        self.agreed.connect(self._on_agreed)

    def _add_files(self, preview: RewindPreviewed) -> None:
        if preview.checkpoint_id and preview.files:
            words = tr("Also put files back to that point ({files})", files=count(len(preview.files), "file"))
            self.files = QCheckBox(words, self)
            self.files.setObjectName("rewind_files")
            self.details.addWidget(self.files)
            self.details.addWidget(FileList("rewind_file_list", preview.files, set(preview.outside), self))
            if preview.outside:
                warns = plain_label(self, "", "rewind_outside", role="warning")
                warns.setText(_OUTSIDE)
                self.details.addWidget(warns)
            return
        told = plain_label(self, "muted", "rewind_no_files")
        if preview.checkpoint_id:
            told.setText(tr("The files are as they were at that point."))
        else:
            told.setText(tr("Files stay as they are. {problem}", problem=display_text(said(preview.problem))).strip())
        self.details.addWidget(told)

    def _add_not_undone(self, preview: RewindPreviewed) -> None:
        if not preview.not_undone:
            return
        told = plain_label(self, "", "rewind_not_undone", role="warning")
        told.setText(tr("Not undone:"))
        self.details.addWidget(told)
        for place, effect in enumerate(preview.not_undone[:_MOST_NAMED], start=1):
            title = effect.title if effect.verbatim else call_title(effect.title)
            link = push_button(display_text(title).replace("&", "&&"), f"rewind_effect_{place}", self)
            link.setProperty("kind", "link")
            link.clicked.connect(lambda _checked=False, entry=effect.event_id: self._show(entry))
            self.details.addWidget(link)
        self._add_more(len(preview.not_undone) - _MOST_NAMED)

    def _add_commits(self, preview: RewindPreviewed) -> None:
        if not preview.commits:
            return
        told = plain_label(self, "muted", "rewind_commits")
        named = "\n".join(display_text(commit) for commit in preview.commits[:_MOST_NAMED])
        told.setText(tr("Commits made since stay:\n{commits}", commits=named))
        self.details.addWidget(told)
        self._add_more(len(preview.commits) - _MOST_NAMED)

    def _add_more(self, left: int) -> None:
        if left > 0:
            more = plain_label(self, "muted")
            more.setText(tr("and {n} more", n=number(left)))
            self.details.addWidget(more)

    def _show(self, entry: str) -> None:
        self.entry_asked.emit(entry)
        self.reject()

    def _on_agreed(self) -> None:
        self.rewind_asked.emit(self.files is not None and self.files.isChecked())


def leaving_words(preview: RewindPreviewed, *, running: bool) -> str:
    """What leaves the conversation, as sentences."""
    words = [_leaving(preview.turns, preview.messages)]
    words += [tr("Later messages stay in the history and can be brought back.")]
    words += [tr("The running turn is stopped first.")] if running else []
    return " ".join(words)


def _leaving(turns: int, messages: int) -> str:
    if turns and messages:
        both = {"turns": count(turns, "turn"), "messages": count(messages, "message")}
        return tr("{turns} and {messages} leave the conversation.", **both)
    if turns:
        return trn(turns, "{n} turn leaves the conversation.", "{n} turns leave the conversation.")
    if messages:
        return trn(messages, "{n} message leaves the conversation.", "{n} messages leave the conversation.")
    return tr("No message leaves the conversation.")

"""The effects of the shown chat, newest first."""

from collections.abc import Sequence

from PySide6.QtCore import QObject

from desktop.domain.display.text import display_text
from desktop.domain.ledger.effects import Effect
from desktop.language import said, tr
from desktop.records import dataclass
from desktop.ui.models.keyed_rows import KeyedRows
from desktop.ui.text.format import clock_time, count, local_date
from desktop.ui.text.record_lines import effect_title
from desktop.ui.widgets.elided_label import plain_tooltip

_ICONS = {
    "files": "file-diff",
    "command": "terminal",
    "commit": "git-commit-vertical",
    "push": "arrow-up",
    "lane": "git-branch",
    "request": "git-pull-request",
    "database": "database",
    "rule": "shield-check",
    "memory": "brain",
    "skill": "book-open",
    "undo": "undo-2",
    "other": "circle-dot",
}
_UNDOABLE = {"yes": tr("can be undone"), "partly": tr("can partly be undone"), "no": tr("cannot be undone")}
_STATES = {"undone": tr("undone"), "partly": tr("partly undone"), "expired": tr("cannot be undone any more")}


@dataclass(frozen=True)
class EffectRow:
    """One effect as it is listed."""

    effect: Effect

    @property
    def key(self) -> str:
        """The id of the effect."""
        return self.effect.effect_id

    @property
    def title(self) -> str:
        """What was done."""
        return display_text(effect_title(self.effect))

    @property
    def detail(self) -> str:
        """When, whose, on how many files, and whether it can be undone or was: "14:02 · 2 files · can be undone"."""
        parts = [f"{local_date(self.effect.at)}, {clock_time(self.effect.at)}"]
        parts += [display_text(self.effect.asker)] if self.effect.asker else []
        parts += [count(len(self.effect.files), "file")] if self.effect.files else []
        parts += [tr("outcome unknown")] if self.effect.unknown else []
        effect = self.effect
        until = (
            tr(" until {until}", until=local_date(effect.until)) if effect.until and effect.state == "standing" else ""
        )
        return " · ".join([*parts, _STATES.get(effect.state, f"{_UNDOABLE[effect.undoable]}{until}")])

    @property
    def icon(self) -> tuple[str, str]:
        """By its kind; muted where nothing can be done about it any more."""
        over = self.effect.state in ("undone", "cannot", "expired")
        return _ICONS[self.effect.kind], "muted" if over else "text"

    @property
    def explained(self) -> str:
        """How it is taken back, what stays all the same, and the files."""
        names = "\n".join(display_text(file.path) for file in self.effect.files)
        return "\n".join(part for part in (said(self.effect.how), said(self.effect.not_covered), names) if part)


class LedgerModel(KeyedRows[EffectRow]):
    """Filled by LedgerLoaded."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session_id = ""
        self.loaded = False

    def show_session(self, session_id: str) -> None:
        """Forget the former chat's effects."""
        if session_id != self.session_id:
            self.session_id, self.loaded = session_id, False
            self.set_rows(())

    def take(self, effects: Sequence[Effect]) -> None:
        """Show these effects of the shown chat."""
        self.loaded = True
        self.set_rows([EffectRow(effect) for effect in effects])

    def text_of(self, row: EffectRow, column: int) -> str:
        """Its title."""
        return row.title

    def sentence_of(self, row: EffectRow) -> str:
        """The row, read out."""
        return f"{row.title}, {row.detail}"

    def tip_of(self, row: EffectRow) -> str:
        """What can be undone of it."""
        return plain_tooltip(f"{row.title}\n{row.explained}")

"""The tiles of the Proofs tab: a lane's proofs, filtered, each with its thumbnail."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from PySide6.QtCore import QObject
from PySide6.QtGui import QPixmap

from desktop.domain.display.text import display_text, prose_text
from desktop.domain.proofs.values import (
    NOTICE_BYTES,
    OwnerKind,
    ProofKind,
    ProofLink,
    ReviewState,
    ShownProof,
    kind_words,
    review_words,
    stale_words,
)
from desktop.language import said, separated, tr, trn
from desktop.records import dataclass
from desktop.ui.models.keyed_rows import KeyedRows
from desktop.ui.text.format import clock_time, count, full_time, size

SHORT_COMMIT, LONG_COMMIT = 7, 12
_DATED, _DATED_BESIDE_REVIEWS = 345, 440
LARGE = tr("The proofs of this project take {size}. What belongs to no chat, lane or request is removed after 90 days.")
Which = Literal["all", "chat", "pull"]
_NAMED = ("session", "lane", "report")
_OWNERS: dict[OwnerKind, tuple[str, str]] = {
    "session": (tr("Chat"), tr("This chat does not exist any more.")),
    "lane": (tr("Lane"), tr("This lane does not exist any more.")),
    "report": (tr("Report"), tr("This report does not exist any more.")),
    "pull_request": (tr("Pull request"), ""),
    "evidence": (tr("Evidence"), ""),
    "mission_step": (tr("Mission step"), ""),
}
"""What each kind is called, and the sentence where it is gone; "": it is not known here whether it is."""


@dataclass(frozen=True)
class ProofFilter:
    """The choice of the proofs that are shown: of which chat or pull request, of which kind and state; "" for all."""

    which: Which = "all"
    kind: ProofKind | Literal[""] = ""
    state: ReviewState | Literal[""] = ""


@dataclass(frozen=True)
class ProofTile:
    """One tile. Texts are as they may be shown. `problem`: why there is no picture of it. `kind`: what it is, "" for a
    picture. `fresh`: changes when its thumbnail does."""

    key: str
    shown: ShownProof
    title: str
    caption: str
    state: str
    mark: str
    problem: str
    kind: str = ""
    fresh: int = 0

    @property
    def proof_id(self) -> str:
        """The id of the tile's proof."""
        return self.shown.proof.id


@dataclass(frozen=True)
class Owner:
    """To whom a proof belongs, in words that may be shown. `is_reached`: it can be gone to. `gone`: it is no more."""

    link: ProofLink
    words: str
    is_reached: bool
    gone: str = ""


class ProofsModel(KeyedRows[ProofTile]):
    """`set_proofs` takes the list of a lane, `set_thumb` a thumbnail; `filter` says what of it is shown."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.filter = ProofFilter()
        self.loaded = False
        self.session_id = ""
        self._all: tuple[ShownProof, ...] = ()
        self._thumbs: dict[str, QPixmap] = {}
        self._problems: dict[str, str] = {}

    @property
    def proofs(self) -> tuple[ShownProof, ...]:
        """The proofs of the lane, the newest first."""
        return self._all

    @property
    def waiting(self) -> int:
        """How many nobody has reviewed."""
        return sum(one.proof.review == "pending" for one in self._all)

    def clear(self) -> None:
        """Forget the proofs, because those of another lane are not known yet."""
        self._all, self.loaded = (), False
        self._thumbs.clear()
        self._problems.clear()
        self.refresh()

    def set_proofs(self, proofs: Sequence[ShownProof]) -> None:
        """The whole list, the newest first."""
        self._all, self.loaded = tuple(proofs), True
        self.refresh()

    def set_filter(self, wanted: ProofFilter) -> None:
        """Show only the proofs of this choice."""
        self.filter = wanted
        self.refresh()

    def set_thumb(self, proof_id: str, thumb: QPixmap, problem: str) -> None:
        """The thumbnail of a proof, or why there is none."""
        self._thumbs[proof_id] = thumb
        self._problems[proof_id] = display_text(problem)
        self.refresh()

    def thumb(self, proof_id: str) -> QPixmap:
        """The thumbnail, null while there is none."""
        return self._thumbs.get(proof_id, QPixmap())

    def without_thumb(self) -> list[str]:
        """The shown pictures whose thumbnail was not asked for yet."""
        wanted = (tile.shown.proof for tile in self.rows if tile.shown.proof.is_picture)
        return [proof.id for proof in wanted if proof.id not in self._thumbs]

    def refresh(self) -> None:
        """Make the tiles anew."""
        self.set_rows([self._tile(one) for one in self._all if self._is_wanted(one)])

    def text_of(self, row: ProofTile, column: int) -> str:
        """Its title."""
        return row.title

    def sentence_of(self, row: ProofTile) -> str:
        """All its words."""
        return ", ".join(word for word in (row.title, row.kind, row.caption, row.state, row.mark, row.problem) if word)

    def tip_of(self, row: ProofTile) -> str:
        """The same words."""
        return self.sentence_of(row)

    def _is_wanted(self, one: ShownProof) -> bool:
        proof, wanted = one.proof, self.filter
        if wanted.which == "chat" and self.session_id not in {link.owner_id for link in one.links}:
            return False
        if wanted.which == "pull" and not any(link.owner == "pull_request" for link in one.links):
            return False
        return wanted.kind in ("", proof.kind) and wanted.state in ("", proof.review)

    def _tile(self, one: ShownProof) -> ProofTile:
        proof = one.proof
        commit = proof.head[:SHORT_COMMIT]
        dirty = "+" if proof.dirty and commit else ""
        thumb = self._thumbs.get(proof.id)
        return ProofTile(
            key=f"proof:{proof.id}",
            shown=one,
            title=prose_text(proof.title),
            caption=" · ".join(word for word in (clock_time(proof.captured_at), f"{commit}{dirty}") if word),
            kind="" if proof.is_picture else said(kind_words(proof.kind)),
            state=said(review_words(proof.review)),
            mark=said(stale_words(one.stale)),
            problem=_problem(one, self._problems.get(proof.id, "")),
            fresh=int(thumb.cacheKey()) if thumb is not None else 0,
        )


def _problem(one: ShownProof, problem: str) -> str:
    if one.missing:
        return (
            tr("The picture file is gone; its record is kept.") if one.proof.is_picture else tr("The file is missing.")
        )
    if one.proof.cannot_show:
        return tr("Cannot be shown: {cannot_show}", cannot_show=display_text(said(one.proof.cannot_show)))
    return problem


def details(one: ShownProof) -> tuple[tuple[str, str], ...]:
    """The facts about a proof, as pairs of a name and a text that may be shown."""
    proof = one.proof
    sides = f"{proof.width}×{proof.height}" + (tr(", scale {scale}", scale=proof.scale) if proof.scale > 1 else "")
    taken = tr("{at} by you") if proof.created_by == "person" else tr("{at} by the agent")
    pair = tr("{percent} of the pixels differ", percent=separated(proof.pair.percent)) if proof.pair is not None else ""
    found = (
        (tr("Compared with the one before"), pair),
        (tr("Description"), prose_text(proof.description)),
        (tr("Kind"), said(kind_words(proof.kind))),
        (tr("Type"), display_text(proof.mime_type)),
        (tr("Size"), f"{size(proof.size)}" + (f", {sides}" if proof.width else "")),
        (tr("Taken"), taken.format(at=full_time(proof.captured_at))),
        (tr("From"), display_text(proof.source)),
        (tr("Commit"), proof.head[:LONG_COMMIT] + (tr(" with changes") if proof.dirty and proof.head else "")),
        (tr("Files"), said(stale_words(one.stale))),
        (tr("Review"), said(review_words(proof.review)) + (f": {prose_text(proof.note)}" if proof.note else "")),
        (tr("Note"), display_text(said(proof.notice))),
        (tr("Published"), ", ".join(display_text(link.address) for link in one.links if link.address)),
        (tr("The page's console"), "\n".join(display_text(line) for line in proof.console)),
        (tr("Id"), proof.id),
        ("SHA-256", proof.sha256),
    )
    return tuple((name, text) for name, text in found if text)


def owners(one: ShownProof) -> tuple[Owner, ...]:
    """To whom a proof belongs: chats, lanes and reports by their names, others by their ids, which people know."""
    names = dict(one.names)
    return tuple(_owner(link, names.get(link.owner_id, "")) for link in one.links)


def _owner(link: ProofLink, name: str) -> Owner:
    kind, gone = _OWNERS[link.owner]
    words = (
        tr("{kind} “{name}”", kind=kind, name=display_text(name)) if name else f"{kind} {display_text(link.owner_id)}"
    )
    reached = bool(link.address) or (link.owner in _NAMED and bool(name))
    return Owner(link, words, is_reached=reached, gone="" if name else gone)


def figure_words(model: ProofsModel, as_of: str, *, room: int) -> str:
    """How many proofs there are and wait for a review, which the tab counts, and where there is room, their age."""
    tiles, proofs, waiting = len(model.rows), len(model.proofs), model.waiting
    if not proofs:
        return ""
    words = [count(proofs, "proof") if tiles == proofs else tr("{tiles} of {proofs}", tiles=tiles, proofs=proofs)]
    words += [trn(waiting, "{n} to review", "{n} to review")] if waiting else []
    words += [as_of] if as_of and room >= (_DATED_BESIDE_REVIEWS if waiting else _DATED) else []
    return " · ".join(words)


def large_words(project_bytes: int) -> str:
    """The sentence that the proofs of a project take much room, "" while they do not."""
    return LARGE.format(size=size(project_bytes)) if project_bytes >= NOTICE_BYTES else ""


def age_words(as_of: datetime | None) -> str:
    """The words for when the lane's files were compared."""
    return tr("as of {as_of}", as_of=clock_time(as_of)) if as_of is not None else ""

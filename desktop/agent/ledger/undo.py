"""Undo: effects taken back by a plan that a person saw, newest first, each looked at again then (memory-UL2)."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from desktop.agent.core.notes import note
from desktop.agent.core.session import Session
from desktop.agent.ledger.taking import Ahead, Look, Taker
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.ids import new_id
from desktop.domain.ledger.effects import Effect
from desktop.domain.ledger.fold import Ledger, named
from desktop.domain.ledger.updates import PlannedEntry
from desktop.domain.undo.events import UndoBegun, UndoFinished, UndoReach, UndoStepDone
from desktop.domain.undo.steps import Step
from desktop.records import dataclass

MOST_TOLD = 10
NOTHING = "Nothing of this can be undone."


@dataclass(frozen=True)
class Planned:
    """`todo`: the effects with the places of their steps, in order, up to the first that is blocked."""

    entries: tuple[PlannedEntry, ...]
    todo: tuple[tuple[Effect, tuple[int, ...]], ...]
    digest: str


class Undo:
    """Engine thread only. `takers`: by kind of step, what looks at it and takes it."""

    def __init__(self, takers: Mapping[str, Taker[Any]]) -> None:
        self._takers = takers

    async def plan(self, session: Session, ledger: Ledger, effect_id: str, reach: UndoReach) -> Planned:
        """What would be done, entry by entry; nothing is changed.

        Raises:
            CommandError: `unknown_effect`.
            BanksmanError: it cannot be found out.
        """
        found = chosen(ledger, effect_id, reach)
        ahead, entries, seen = Ahead(), list[PlannedEntry](), [session.session_id, effect_id, reach]
        todo: list[tuple[Effect, tuple[int, ...]]] = []
        stopped = False
        for effect, places in found:
            looks = [] if stopped else [await self._look(session, effect.steps[at], ahead) for at in places]
            entry = _entry(effect, looks, stopped=stopped)
            stopped = stopped or entry.verdict == "blocked"
            if not stopped and places:
                todo.append((effect, places))
            entries.append(entry)
            seen += [effect.effect_id, entry.verdict, *(f"{look.verdict} {look.text} {look.key}" for look in looks)]
        digest = hashlib.sha256("\0".join(seen).encode("utf-8", "surrogatepass")).hexdigest()
        return Planned(tuple(entries), tuple(todo), digest)

    async def run(self, session: Session, planned: Planned, reach: UndoReach, cut_off: str = "") -> str:
        """Carry it out; what came of it, as a sentence. `cut_off`: an undo that this one goes on with.

        Raises:
            CommandError: `nothing_to_undo`, and nothing was done.
            StoreError: the intent could not be recorded; nothing was done.
        """
        if not planned.todo:
            raise CommandError("nothing_to_undo", NOTHING)
        undo_id = new_id("und_")
        over = [UndoFinished(undo_id=cut_off, status="cut_off")] if cut_off else []
        ids = tuple(effect.effect_id for effect, _ in planned.todo)
        what = f"Undo: {planned.todo[0][0].what}" + (f" and {len(ids) - 1} more" if len(ids) > 1 else "")
        begun = UndoBegun(undo_id=undo_id, effect_ids=ids, digest=planned.digest, reach=reach, what=what)
        session.check_recorded()
        session.append_many([*over, begun])
        told, paths = list[str](), dict[str, None]()
        status, at, problem = "done", "", ""
        try:
            for effect, places in planned.todo:
                at = effect.effect_id
                paths |= dict.fromkeys(await self._taken(session, undo_id, effect, places))
                told.append(effect.what)
        except BanksmanError as error:
            status, problem = "stopped", str(error)
        finished = UndoFinished.model_validate(
            {"undo_id": undo_id, "status": status, "effect_id": at if problem else "", "text": problem}
        )
        session.record(finished, *([note("reverted", _note(told, tuple(paths)))] if told else []))
        done = f"Undone: {len(told)} of {len(ids)}."
        return f"{done} Stopped: {problem}" if problem else done

    async def _taken(self, session: Session, undo_id: str, effect: Effect, places: tuple[int, ...]) -> tuple[str, ...]:
        """Take the steps of one effect; each is on record once it is taken."""
        paths: tuple[str, ...] = ()
        for place in places:
            step = effect.steps[place]
            took = await self._takers[step.kind].take(session, step)
            session.record(
                UndoStepDone(
                    undo_id=undo_id,
                    effect_id=effect.effect_id,
                    step=place,
                    opposite=took.opposite,
                    text=took.text,
                    paths=took.paths[:1_000],
                )
            )
            paths += took.paths
        return paths

    async def _look(self, session: Session, step: Step, ahead: Ahead) -> Look:
        try:
            return await self._takers[step.kind].look(session, step, ahead)
        except BanksmanError as error:
            return Look("blocked", str(error))


def chosen(ledger: Ledger, effect_id: str, reach: UndoReach) -> list[tuple[Effect, tuple[int, ...]]]:
    """The effects that are meant, newest first, each with the places of the steps that are left. An undo is taken back
    only as far as what it brings back is not meant itself.

    Raises:
        CommandError: `unknown_effect`.
    """
    listed = ledger.newest_first()
    if reach == "rest":
        begun = ledger.open_undo
        if begun is None or begun.undo_id != effect_id:
            raise CommandError("unknown_effect", "This undo has ended.")
        by_id = {effect.effect_id: effect for effect in listed}
        return [(by_id[one], by_id[one].left) for one in begun.effect_ids if one in by_id and by_id[one].left]
    place = next((at for at, effect in enumerate(listed) if effect.effect_id == effect_id), None)
    if place is None:
        raise CommandError("unknown_effect", "This entry is not in the ledger any more.")
    if reach == "this":
        return [(listed[place], listed[place].left)]
    turn_id = listed[place].turn_id
    meant = [one for one in listed if one.turn_id == turn_id] if reach == "turn" else [*listed[: place + 1]]
    ids = {effect.effect_id for effect in meant}
    found = [(effect, _own(effect, ids)) for effect in meant]
    return [(effect, left) for effect, left in found if left or (effect.state in ("cannot", "expired"))]


def _own(effect: Effect, meant: Iterable[str]) -> tuple[int, ...]:
    if effect.kind != "undo":
        return effect.left
    return tuple(at for at in effect.left if effect.origins[at][0] not in meant)


def _entry(effect: Effect, looks: list[Look], *, stopped: bool) -> PlannedEntry:
    known = {"effect_id": effect.effect_id, "what": effect.what, "verbatim": effect.verbatim}
    if stopped:
        return PlannedEntry.model_validate({**known, "verdict": "not_reached"})
    if not looks:
        words = " ".join(filter(None, (effect.how, effect.not_covered))) or "Nothing takes it back."
        return PlannedEntry.model_validate({**known, "verdict": "cannot", "text": words})
    paths = tuple(path for look in looks for path in look.paths)
    against = next((look for look in looks if look.verdict == "blocked"), None)
    if against is not None:
        return PlannedEntry.model_validate(
            {
                **known,
                "verdict": "blocked",
                "text": against.text,
                "paths": against.paths,
                "three_way": against.three_way,
            }
        )
    verdict = "done" if all(look.verdict == "done" for look in looks) else "undo"
    words = " ".join(look.text for look in looks)
    if effect.undoable == "partly":
        verdict, words = ("partly" if verdict == "undo" else verdict), f"{words} {effect.not_covered}"
    return PlannedEntry.model_validate({**known, "verdict": verdict, "text": words, "paths": paths})


def _note(told: list[str], paths: tuple[str, ...]) -> str:
    """What the model is told of an undo."""
    listed = "; ".join(told[:MOST_TOLD]) + (f" and {len(told) - MOST_TOLD} more" if len(told) > MOST_TOLD else "")
    files = f" These files changed: {named([*paths])}. Read them before you rely on them." if paths else ""
    return f"The user took back: {listed}.{files}"

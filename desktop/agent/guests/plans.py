"""GuestPlans: the plans that a guest tells of: lists become the todos of its chat, texts what a review shows
(guests-A3, guests-A29)."""

from collections.abc import Callable, Mapping

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.agent.guests.calls.turn_calls import TurnCalls
from desktop.agent.guests.seldom import Seldom
from desktop.agent.guests.told import MOST_TODOS, todos_in
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.work import Todo
from desktop.domain.core.work_events import TodosChanged
from desktop.policy.guests.said import fields_of, text_of

Fields = Mapping[str, JsonValue]
UPDATES = ("plan", "plan_update", "plan_removed")
_TEXTS = {"markdown": "content", "file": "uri"}
MOST_PLANS, PLAN_CHARS, ID_CHARS = 20, 100_000, 200


class GuestPlans:
    """Of one chat. A plan without an id takes the place of the one before it; the others have their own. `halt` is told
    that the todos cannot be put on record."""

    def __init__(self, session: Session, halt: Callable[[BanksmanError], object]) -> None:
        self._session, self._halt = session, halt
        self._lists: dict[str, tuple[Todo, ...]] = {}
        self.recorded = Seldom(self._record)

    def heard(self, update: Fields, calls: TurnCalls) -> None:
        """One of the `UPDATES`."""
        kind = update.get("sessionUpdate")
        told = fields_of(update.get("plan")) if kind == "plan_update" else update
        plan_id = text_of(told.get("planId"), ID_CHARS) if kind != "plan" else ""
        if kind == "plan_removed":
            if plan_id and self._lists.pop(plan_id, None) is not None:
                self.recorded.want()
        elif kind == "plan" or (told.get("type") == "items" and plan_id):
            if plan_id in self._lists or len(self._lists) < MOST_PLANS:
                todos = self._lists[plan_id] = todos_in(told.get("entries"))
                calls.planned("\n".join(f"- {one.content}" for one in todos))
                self.recorded.want()
        elif told.get("type") in _TEXTS:
            calls.planned(text_of(told.get(_TEXTS[str(told["type"])]), PLAN_CHARS))

    def _todos(self) -> tuple[Todo, ...]:
        """Those of all lists, numbered through."""
        found = [one for todos in self._lists.values() for one in todos][:MOST_TODOS]
        return tuple(one.model_copy(update={"id": str(number)}) for number, one in enumerate(found, 1))

    def _record(self) -> None:
        todos = self._todos()
        if todos == self._session.state.todos:
            return
        try:
            self._session.append(TodosChanged(todos=todos), lazy=True)
        except BanksmanError as error:
            self._halt(error)

"""What a guest tells of its calls over the bridge in one turn, joined with those that came (guests-A56)."""

import asyncio
from collections.abc import Callable, Mapping

from pydantic import JsonValue

from desktop.agent.guests.bridging.bridge_tools import BridgeTools
from desktop.policy.guests.bridged import NamedCall, named_call
from desktop.tools.arguments import ArgumentsError, parse_args

ARRIVES_S = 30.0
"""So long a call may take to arrive that the guest says is done."""
Told = dict[str, JsonValue]


class Bridged:
    """`unheard(key, told)` is called for a call that the guest says is done and that never came."""

    def __init__(self, tools: BridgeTools, unheard: Callable[[str, Told], None]) -> None:
        self._tools, self._unheard = tools, unheard
        self._came: list[NamedCall] = []
        self._over: dict[str, tuple[NamedCall, Told, asyncio.TimerHandle]] = {}
        self._joined: set[str] = set()
        self._first: dict[str, NamedCall] = {}

    def may(self, key: str, told: Mapping[str, JsonValue]) -> bool:
        """Whether a request needs no answer of a person, because the call is judged once it comes: it names a tool that
        is offered, with arguments that this takes."""
        self._first.pop(key, None)
        named = self._named(key, told)
        offered = self._tools.offered().values() if named is not None else ()
        tool = next((one for one in offered if named is not None and one.name == named.tool), None)
        if named is None or tool is None:
            return False
        try:
            parse_args(tool, named.given or {})
            return True
        except ArgumentsError:
            return False

    def takes(self, key: str, told: Told, *, over: bool) -> bool:
        """Whether what the guest tells is of a call over the bridge, which is a call of its own once it comes."""
        named = self._named(key, told)
        if named is None:
            return False
        if over and key not in self._joined and key not in self._over and not self._claimed(key, named):
            timer = asyncio.get_running_loop().call_later(ARRIVES_S, self._late, key)
            self._over[key] = (named, told, timer)
        return True

    def _named(self, key: str, told: Mapping[str, JsonValue]) -> NamedCall | None:
        """The tool of ours that it means, by its proper name, with the arguments that it told first."""
        named = named_call(told)
        tool = self._tools.named(named.tool) if named is not None else None
        if named is None or tool is None:
            return None
        first = self._first.get(key)
        if first is None or first.tool != tool.name or first.given is None:
            first = self._first[key] = NamedCall(tool=tool.name, given=named.given)
        return first

    def came(self, name: str, given: dict[str, JsonValue]) -> None:
        """A call came over the bridge."""
        self._came.append(NamedCall(tool=name, given=given))
        for key, (named, _, timer) in self._over.items():
            if self._claimed(key, named):
                timer.cancel()
                del self._over[key]
                return

    def end(self) -> None:
        """Nothing comes any more."""
        for key in [*self._over]:
            self._late(key)

    def _late(self, key: str) -> None:
        _, told, timer = self._over.pop(key)
        timer.cancel()
        self._unheard(key, told)

    def _claimed(self, key: str, named: NamedCall) -> bool:
        """Join it with one that came, which then stands for no other."""
        found = next((one for one in self._came if one.tool == named.tool and named.given in (None, one.given)), None)
        if found is None:
            return False
        self._came.remove(found)
        self._joined.add(key)
        return True

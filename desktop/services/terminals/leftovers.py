"""The processes that terminals have left running, found by the mark in their environment."""

from collections.abc import Collection

from desktop.domain.terminals.updates import Leftover
from desktop.services.processes.tree import marked_processes, process_facts, session_of
from desktop.services.terminals.shell import TERMINAL_VARIABLE

_COMMAND_CHARS = 200


def leftovers(lane_ids: Collection[str], shells: Collection[int]) -> tuple[Leftover, ...]:
    """Living processes of terminals of these lanes, but those of the sessions that `shells` lead. Blocking (some
    milliseconds)."""
    found = []
    for process, lane_id in marked_processes(TERMINAL_VARIABLE, lane_ids).items():
        facts = process_facts(process) if session_of(process.pid) not in shells else None
        if facts is not None:
            command = facts.command[:_COMMAND_CHARS]
            found.append(
                Leftover(pid=facts.pid, started=facts.started, name=facts.name, lane_id=lane_id, command=command)
            )
    return tuple(sorted(found, key=lambda one: (one.lane_id, one.started, one.pid)))

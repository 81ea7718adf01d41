"""Tally: what each client exchanged with which host since somebody last asked."""

from collections import Counter

from desktop.domain.egress.values import ClientKind, Traffic

MOST_HOSTS = 200
OTHERS = "(other hosts)"

_Key = tuple[ClientKind, str, str, int]


class Tally:
    """On the engine's loop. `owner` is whose record the traffic belongs to: a chat, a project; "" for nobody's."""

    def __init__(self) -> None:
        self._counts: dict[str, dict[_Key, Counter[str]]] = {}

    def add(  # one count of everything that is told of a connection
        self,
        owner: str,
        kind: ClientKind,
        client: str,
        host: str,
        port: int,
        **counts: int,
    ) -> None:
        """Count for this host. `counts`: by the names of Traffic's numbers. A client that tries ever more hosts has
        them counted together in the end."""
        by_host = self._counts.setdefault(owner, {})
        key = (kind, client, host, port)
        if key not in by_host and len(by_host) >= MOST_HOSTS:
            key = (kind, client, OTHERS, 0)
        by_host.setdefault(key, Counter()).update(counts)

    def take(self, owner: str) -> tuple[Traffic, ...]:
        """All of this owner since the last time, by host."""
        found = self._counts.pop(owner, {})
        return tuple(
            Traffic(kind=kind, client=client, host=host, port=port, **counts)
            for (kind, client, host, port), counts in sorted(found.items(), key=lambda one: one[0][2:])
        )

    def owners(self) -> tuple[str, ...]:
        """For whom something is counted."""
        return tuple(self._counts)

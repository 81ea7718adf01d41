"""What is so of each command and update, gathered from their classes as text: the snapshots that reviews read."""

import importlib
import pkgutil
from collections.abc import Iterable

import desktop.domain
from desktop.domain.core.command import Command
from desktop.domain.core.update import Answer, Outcome, Stand, Update


def snapshots() -> dict[str, str]:
    """File name → text."""
    for module in pkgutil.walk_packages(desktop.domain.__path__, "desktop.domain."):
        importlib.import_module(module.name)
    commands, updates = list(_below(Command)), list(_below(Update))
    lists = {
        "Carried out while the store can only be read": (c for c in commands if c.reads),
        "Allowed on an imported chat that nobody continued": (c for c in commands if c.on_imported),
        "Answered by nothing": (c for c in commands if not c.is_answered),
        "For the window whose command it names": (u for u in updates if issubclass(u, Answer)),
        "For every window, though it names a command": (
            u for u in updates if issubclass(u, Outcome) and not issubclass(u, Answer) and u is not Outcome
        ),
    }
    for stand in Stand:
        lists[f"Told to a window that opens later: {stand.name}"] = (u for u in updates if u.stands is stand)
    return {"facts.txt": "\n".join(f"{title}\n{_names(of)}" for title, of in lists.items())}


def _below(kind: type) -> Iterable[type]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


def _names(kinds: Iterable[type]) -> str:
    return "".join(f"  {name}\n" for name in sorted({kind.__name__ for kind in kinds}))

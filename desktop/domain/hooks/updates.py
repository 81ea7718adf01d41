"""Updates about hooks, as people see them."""

from datetime import datetime
from typing import ClassVar

from desktop.domain.core.base import Frozen
from desktop.domain.core.update import Answer, Stand, Update
from desktop.domain.hooks.values import Hook, HookDecision, HookScope


class PastRun(Frozen):
    """One run of a hook. `decision` None: it had nothing to say."""

    at: datetime
    decision: HookDecision | None
    duration_ms: int


class HookRow(Frozen):
    """A hook and how it stands. `on`: the person did not switch it off; `runs`: it runs as things are; `last`: its last
    runs, newest first; `slow`: it takes long again and again."""

    hook: Hook
    scope: HookScope
    on: bool = True
    runs: bool = True
    last: tuple[PastRun, ...] = ()
    slow: bool = False


class HookFile(Frozen):
    """A file of hooks. `problem`: why it cannot be used; `waits`: nobody trusts it as it is, so none of it runs;
    `files`: what its hooks run, by name; `hosts`: what any of them may reach; `difference`: what is not as it was when
    it was trusted last, the whole text for a first time; `sha256`: what a yes binds."""

    scope: HookScope
    path: str
    problem: str = ""
    waits: bool = False
    sha256: str = ""
    files: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    difference: str = ""


class HooksLoaded(Answer):
    """All hooks, a person's first, and their files. `folder`: where the person's file is, or would be."""

    hooks: tuple[HookRow, ...] = ()
    files: tuple[HookFile, ...] = ()
    folder: str = ""
    command_id: str = ""


class HooksWait(Update):
    """The files of hooks of the open repository that wait for trust or cannot be used, each in a sentence."""

    stands: ClassVar[Stand | None] = Stand.PROJECT
    sentences: tuple[str, ...] = ()


class HookTried(Answer):
    """What a hook said of a call on record. `call`: that call in words, `words`: what came of the run."""

    hook_id: str
    call: str
    words: str
    command_id: str = ""


class HooksImported(Answer):
    """What of another program's hooks means the same here (`text`, as it stands in a file of ours), and the `others`,
    each with the reason. `saved`: it stands in the person's file now."""

    text: str
    others: tuple[str, ...] = ()
    saved: bool = False
    command_id: str = ""

"""Commands about hooks: listing and trusting them, switching one off, trying one, taking some over."""

from typing import ClassVar, Literal

from desktop.domain.core.command import Command
from desktop.domain.hooks.values import HookScope


class LoadHooks(Command):
    """All hooks with how they stand. → HooksLoaded."""

    reads: ClassVar[bool] = True
    type: Literal["load_hooks"] = "load_hooks"


class TrustHooks(Command):
    """Let the hooks of this file run, for exactly this content with the scripts that they run. → HooksLoaded."""

    type: Literal["trust_hooks"] = "trust_hooks"
    scope: HookScope
    sha256: str


class SwitchHook(Command):
    """Switch a hook off or on again. → HooksLoaded."""

    type: Literal["switch_hook"] = "switch_hook"
    scope: HookScope
    hook_id: str
    on: bool


class TryHook(Command):
    """Run a hook with the newest call on record that it is about, in the lane of that call's chat; nothing follows from
    what it says. → HookTried."""

    type: Literal["try_hook"] = "try_hook"
    scope: HookScope
    hook_id: str


class ImportHooks(Command):
    """What the settings of another program, in a JSON file, would be here; `save`: add it to the person's own hooks.
    → HooksImported."""

    type: Literal["import_hooks"] = "import_hooks"
    place: str
    save: bool = False

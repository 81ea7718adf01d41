"""Taking over hooks that another program has in its settings (guests-H8)."""

from pathlib import Path

from desktop.config.folders import typed_path
from desktop.config.private_files import make_private_folder, write_durably
from desktop.domain.core.errors import CommandError
from desktop.policy.hooks.imports import as_file, imported_hooks
from desktop.services.hooks.file import HookFault, parse_hooks
from desktop.store.gate.rule_file import FileFault, read_bytes


def take_over(place: str, own_file: Path, *, save: bool) -> tuple[str, tuple[str, ...]]:
    """The hooks that mean the same here, as text of a file of ours, and the others, each with the reason. `save`: the
    text is added to the person's file. Blocking.

    Raises:
        CommandError: one of the files cannot be read, or not be written; nothing was changed.
    """
    try:
        content = read_bytes(typed_path(place))
        if content is None:
            raise FileFault("there is no such file")
        found = imported_hooks(content)
    except (FileFault, ValueError, RecursionError) as error:
        raise CommandError("hooks", f"{place} cannot be taken over: {error}.") from error
    try:
        own = read_bytes(own_file) or b""
        text = as_file(found.hooks, [hook.id for hook in parse_hooks(own)])
        if save and text:
            whole = own + text.encode("utf-8", "replace")
            parse_hooks(whole)
            make_private_folder(own_file.parent)
            write_durably(own_file, whole)
    except (FileFault, HookFault, OSError) as error:
        raise CommandError("hooks", f"{own_file} was not changed: {error}.") from error
    return text, found.others

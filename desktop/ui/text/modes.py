"""The words for the modes of a chat."""

from desktop.domain.core.permissions import PermissionMode
from desktop.language import tr

_WORDS = {
    PermissionMode.PLAN: tr("Plan", context="mode"),
    PermissionMode.EDIT: tr("Edit", context="mode"),
    PermissionMode.FULL_AUTO: tr("Full auto", context="mode"),
}
SHORT_MODES = {
    PermissionMode.PLAN.value: tr("Plan", context="mode, short"),
    PermissionMode.EDIT.value: tr("Edit", context="mode, short"),
    PermissionMode.FULL_AUTO.value: tr("Full auto", context="mode, short"),
}
"""By the value of the mode, where there is little room."""


def mode_words(mode: PermissionMode) -> str:
    """The one word people read for a mode; what is recorded or sent has that of `mode_label`."""
    return _WORDS[mode]

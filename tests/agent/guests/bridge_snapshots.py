"""What an agent of others is told of our tools, as the files of tests/snapshots/bridge: one for each mode."""

import json

from desktop.agent.guests.bridging.bridge_tools import descriptions, told_names
from desktop.domain.core.permissions import PermissionMode
from desktop.tools.guests.table import guest_tools
from desktop.tools.registry import discover


def snapshots() -> dict[str, str]:
    """File name to text, for every mode, in a chat that has all that tools need."""
    known = guest_tools(discover())
    told = {mode: descriptions(told_names(known.offered(mode, known.needs))) for mode in PermissionMode}
    return {f"{mode.value}.json": json.dumps(one, indent=2, ensure_ascii=False) + "\n" for mode, one in told.items()}

"""What the model is told of each tool, as the files of tests/snapshots/tools."""

import json

from desktop.tools.registry import description, discover


def snapshots() -> dict[str, str]:
    """File name to text, for every tool there is."""
    return {
        f"{tool.name}.json": json.dumps(description(tool), indent=2, ensure_ascii=False) + "\n"
        for tool in discover().tools
    }

"""Write tests/snapshots/tools/<name>.json anew: `python -m tests.tools.update_snapshots`."""

import json
from pathlib import Path

from desktop.tools.registry import description, discover

FOLDER = Path(__file__).parents[1] / "snapshots" / "tools"


def snapshots() -> dict[str, str]:
    """File name to text, for every tool there is."""
    return {
        f"{tool.name}.json": json.dumps(description(tool), indent=2, ensure_ascii=False) + "\n"
        for tool in discover().tools
    }


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.json"):
        old.unlink()
    for name, text in snapshots().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

"""Write every snapshot anew: `python -m tests.update_snapshots`. Read the difference before you commit it."""

from pathlib import Path

from tests.agent import request_snapshots
from tests.agent.guests import bridge_snapshots
from tests.domain import fact_lists
from tests.tools import tool_snapshots

FOLDER = Path(__file__).parent / "snapshots"


def main() -> None:
    """Replace the files of each folder by what is true now."""
    for folder, made in (
        ("tools", tool_snapshots.snapshots()), ("requests", request_snapshots.snapshots()),
        ("facts", fact_lists.snapshots()), ("bridge", bridge_snapshots.snapshots()),
    ):  # fmt: skip
        target = FOLDER / folder
        target.mkdir(parents=True, exist_ok=True)
        for old in target.iterdir():
            old.unlink()
        for name, text in made.items():
            (target / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

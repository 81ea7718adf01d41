"""Whether a file that a command names is one that it runs, so that a yes to the command is about its content too."""

import os
from pathlib import Path

_SUFFIXES = frozenset({
    *(".sh", ".bash", ".zsh", ".fish", ".py", ".pyz", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"),
    *(".rb", ".pl", ".php", ".lua", ".jar", ".ps1", ".wasm", ".bat", ".cmd"),
})  # fmt: skip


def is_script(path: Path) -> bool:
    """Whether the file is a program or a script by its name, its rights or its first bytes. Blocking (a moment)."""
    try:
        if not path.is_file():
            return False
        if path.suffix.lower() in _SUFFIXES or os.access(path, os.X_OK):
            return True
        with path.open("rb") as file:
            return file.read(2) == b"#!"
    except (OSError, ValueError):
        return False

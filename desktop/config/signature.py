"""Who signed this build of the program, as the build itself put it among the resources."""

from pathlib import Path

from desktop.config.folders import resource_folder

FILE, BILL = "SIGNED", "banksman.cdx.json"
_MOST_CHARS = 300


def signed_by(folder: Path | None = None) -> str | None:
    """By what a build was signed, "" where nobody did. None: the program runs from its source, which has no builds.
    `folder`: of the notices, None: the program's own."""
    place = folder or resource_folder() / "notices"
    if not (place / BILL).is_file():
        return None
    try:
        return (place / FILE).read_text("utf-8")[:_MOST_CHARS].strip()
    except (OSError, UnicodeDecodeError):
        return ""


def signature_state(folder: Path | None = None) -> str:
    """The same in words."""
    by = signed_by(folder)
    if by is None:
        return "runs from its source"
    return f"signed by {by}" if by else "not signed"

"""Why there is no keyring, in words that say what is kept for that reason."""

from desktop.language import said

_KEY = "The key is kept"


def keyring_words(problem: str, kept: str) -> str:
    """A problem of the keyring. `kept`: the sentence that stands in place of the last one, about a key."""
    why, found, _until = problem.partition(_KEY)
    return f"{said(why.strip())} {kept}".strip() if found else said(problem)

"""Checks of texts among a tool's arguments, for `field_validator`. What they raise is told to the model."""

from desktop.services.git.refs import ref_problem


def one_line(value: str) -> str:
    """The text without blanks at its ends. Raises ValueError when it has line ends or control characters."""
    if any(char < " " or char == "\x7f" for char in value):
        raise ValueError("must be one line of text")
    return value.strip()


def not_blank(value: str) -> str:
    """The text. Raises ValueError when it holds nothing but blanks."""
    if not value.strip():
        raise ValueError("must not be blank")
    return value


def commit_name(value: str) -> str:
    """The name of a branch or a commit. Raises ValueError when git would take it for an option or for two names."""
    if value.startswith("-") or any(char <= " " or char == "\x7f" for char in value):
        raise ValueError("must be the name of a branch or a commit")
    return value


def known_ref(value: str | None) -> str | None:
    """The name of a commit or a range, None for none. Raises ValueError when git could not take it for one."""
    if value is not None and (problem := ref_problem(value)):
        raise ValueError(problem)
    return value

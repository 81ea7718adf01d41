"""The errors of the product, one tree.

BanksmanError
├── StartError            the program cannot start; the text is shown on stderr, exit status 2
├── SettingsError         settings cannot be read or saved
├── StoreError
│   ├── StoreUnavailable  the store cannot be opened (locked, newer, damaged, not writable)
│   ├── StoreWriteFailed  an append did not reach the disk; nothing was recorded
│   ├── UnknownSession    no such session
│   ├── UnknownEventId    no such event in this log
│   ├── RefusedEvent      the event may not be stored (NaN, too deep, too large)
│   ├── CorruptLog        parents form a cycle
│   └── WrongThread       the store was called from another thread
├── NeutralError          an event list in the neutral form is malformed
├── CommandError          a person's command cannot be carried out; has a code
├── GitError              git failed; carries its own words
├── LaneError             a lane cannot be created or used
├── RuleError             a rule cannot be saved, changed or trusted; nothing was changed
├── PathError             a lane path cannot be opened as asked
├── GitHubError           GitHub did not tell or do something (desktop.domain.github.values)
├── ProviderError         a model request failed (desktop.providers.base)
└── ToolError             a tool failed; its text goes to the model (desktop.tools.tool)
"""


class BanksmanError(Exception):
    """Base of all errors with a sentence for people: what failed, with what, and what to do next."""


class StartError(BanksmanError):
    """The program cannot start."""


class SettingsError(BanksmanError):
    """Settings cannot be read or saved."""


class StoreError(BanksmanError):
    """The event store refused or failed."""


class StoreUnavailable(StoreError):
    """The store cannot be opened; nothing was changed."""


class StoreWriteFailed(StoreError):
    """An append did not reach the disk; nothing of it was recorded."""


class UnknownSession(StoreError):
    """The store has no session of this id."""


class UnknownEventId(StoreError):
    """The log has no event of this id."""


class RefusedEvent(StoreError):
    """The event may not be stored: a number JSON has no name for, too deep, or too large."""


class CorruptLog(StoreError):
    """The parents of a log form a cycle."""


class WrongThread(StoreError):
    """The store was called from another thread than the one that opened it."""


class NeutralError(BanksmanError):
    """An event list in the neutral form is malformed. `index` is the position in the list."""

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(f"Event {index} is not usable: {reason}.")
        self.index = index
        self.reason = reason


class CommandError(BanksmanError):
    """A person's command cannot be carried out. `code` is for the window, the text for the person."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


class GitError(BanksmanError):
    """A git call failed. `stderr` holds git's own words, `status` its exit status (None: ended by its time limit). The
    text is one line, also where git said several."""

    def __init__(self, text: str, *, stderr: str = "", status: int | None = None) -> None:
        super().__init__(one_line(text))
        self.stderr = stderr
        self.status = status


class LaneError(BanksmanError):
    """A lane cannot be created or used."""


class SkillError(BanksmanError):
    """Files for agents cannot be read, installed, accepted or taken away; nothing was changed."""


class RuleError(BanksmanError):
    """A rule cannot be saved, changed, removed or trusted; nothing was changed."""


class PathError(BanksmanError):
    """A lane path cannot be opened, read or replaced as asked; nothing was changed."""


def one_line(words: str) -> str:
    """The lines that a program said, as one line."""
    return " ".join(line.strip() for line in words.splitlines() if line.strip())


def git_reason(words: str) -> str:
    """Why git failed, as one line: of what it said the lines that name a fault, all of it when none does."""
    lines = words.splitlines()
    faults = [line for line in lines if line.lstrip().startswith(("fatal:", "error:"))]
    return one_line("\n".join(faults or lines))

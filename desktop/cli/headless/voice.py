"""Voice: what a run says: text and JSON lines where they are wanted, progress and problems on standard error."""

import sys

import desktop
from desktop.cli.headless.arguments import Given
from desktop.cli.headless.outlets import Keep, Line, Lines, Outlet, OutputFile, StandardOutput
from desktop.cli.headless.statuses import DONE, FAILED, INTERRUPTED
from desktop.cli.headless.summary import Summary
from desktop.config.standard_streams import cannot_write, forget
from desktop.domain.display.text import display_text

SCHEMA_VERSION = 1


class Voice:
    """One for a run, from its first word to its last. `given` None: its words could not be read, and `as_json` says
    whether lines are wanted all the same.

    Raises:
        StartError: the output file cannot be written.
    """

    def __init__(self, given: Given | None, *, as_json: bool = False) -> None:
        self.summary = Summary()
        self.output = StandardOutput()
        wanted = given or Given(json=as_json)
        file = OutputFile(wanted.output) if wanted.output is not None else None
        self._file = file
        self.lines = Lines(file or self.output) if wanted.json else None
        for_people = not wanted.json or file is not None
        self._texts: list[Outlet] = [self.output] if for_people else []
        if file is not None and not wanted.json:
            self._texts.append(file)
        self._tells_progress = for_people and not wanted.quiet
        self._open_line = False

    def begin(self) -> None:
        """The turn is about to begin: what is known of it is the first line."""
        if self.lines is not None:
            self.lines.begin(self._started())

    def text(self, text: str) -> None:
        """Words of the answer."""
        for outlet in self._texts:
            outlet.write(text)
        self._open_line = bool(self._texts) and not text.endswith("\n")

    def line(self, line: Line, keep: Keep | None = None) -> None:
        """One JSON line, where lines are wanted. `keep`: keeps what is cut of it."""
        if self.lines is not None:
            self.lines.add(line, keep)

    def progress(self, text: str) -> None:
        """A line about what goes on, where people read along."""
        if self._tells_progress:
            self.problem(text)

    def problem(self, text: str) -> None:
        """A line that is said in any case."""
        self.close_line()
        try:
            sys.stderr.write(display_text(text) + "\n")
            sys.stderr.flush()
        except OSError as error:  # nobody reads these lines; the turn goes on to its end
            if not cannot_write(error):
                raise
            forget(sys.stderr.fileno())

    def close_line(self) -> None:
        """End the line of an answer before anything else is written."""
        if self._open_line:
            self.text("\n")

    def end(self, exit_status: int) -> int:
        """The last words of the run. The exit status: that of a run whose output could not be kept is no success."""
        lost = (self._file.problem if self._file is not None else "") or self.output.problem
        if lost and exit_status in (DONE, INTERRUPTED):
            exit_status, self.summary.detail = FAILED, lost
            self.problem(lost)
        for sentence in self.summary.sentences(exit_status):
            self.progress(sentence)
        if self.lines is not None:
            self.lines.end(self._started(), self.summary.ended(exit_status))
        return exit_status

    def _started(self) -> Line:
        summary = self.summary
        return {
            "schema": SCHEMA_VERSION,
            "version": desktop.__version__,
            "session_id": summary.session_id,
            "mode": summary.mode,
            "driver": "own",
            "sandbox": summary.sandbox,
        }

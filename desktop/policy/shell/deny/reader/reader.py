"""A forgiving reader of shell text for the deny matcher: linear, bounded, and sure to end on any input."""

import re
from collections.abc import Callable

from desktop.policy.shell.deny.reader.lex import MAX_LOAD, WordReader
from desktop.policy.shell.deny.reader.nodes import (
    Assignment,
    Compound,
    Function,
    Listing,
    Node,
    Pipeline,
    Redirect,
    Simple,
    Word,
    hidden,
    shown,
)

MAX_DEPTH = 40
COMMAND_LOAD = 10
MAX_WORDS = 2_000
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ASSIGN = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[[^\]\s]*\])?(\+?)=")
_REPEATED = re.compile(r"((?!cd|pushd|popd)[A-Za-z0-9_./ -]{1,64}+[;\n])(?:\1)+")
_REDIRECT = re.compile(r"(\d{1,3}|\{[A-Za-z_]\w*\})?(&>>|&>|<<<|<<-|<<|<>|<&|>>|>&|>\||>(?!\()|<(?!\())")
_FUNCTION = re.compile(r"[ \t]*\([ \t]*\)")
_GAP = re.compile(r"(?:[ \t\r\f\v\n]++|\\\n|#[^\n]*+|;(?![;&]))+")
_GAP_IN_LINE = re.compile(r"(?:[ \t\r\f\v]++|\\\n|#[^\n]*+|;(?![;&]))+")
_PLAIN_WORDS = re.compile(r"(?:[A-Za-z0-9_./:@%+,^=*?\[\]-]++[ \t]++)+")
_PLAIN_COMMAND = re.compile(
    r"([A-Za-z0-9_./-]++(?![ \t]*\()(?:[ \t]++[A-Za-z0-9_./:@%+,^=*?\[\]-]++)*)[ \t]*+(?=[;\n|]|\Z)"
)
_PLAIN_TEXT = re.compile(r"[A-Za-z0-9_./-]++(?:[ \t]++[A-Za-z0-9_./:@%+,^=*?\[\]-]++)*[ \t]*+")
_SEPARATOR = re.compile(r"&&|\|\||;;&|;;|;&|;|&|\n")
_OPENERS = {"if", "while", "until", "for", "select", "case", "function", "{", "[[", "!", "time", "coproc"}
_STRAYS = {"then", "elif", "else", "fi", "do", "done", "esac", "}"}
_NOT_PROGRAMS = _OPENERS | _STRAYS
_BODY_WORDS = frozenset({"then", "elif", "else", "fi", "do", "done"})
_NO_WORDS: frozenset[str] = frozenset()
_DELIMITER_QUOTES = str.maketrans("", "", "'\"\\")


class Reader(WordReader):
    """Reads one text. `faulty` afterwards: something did not close, was out of place, or was too deep or too much."""

    def __init__(self, text: str, depth: int = 0, load: list[int] | None = None) -> None:
        super().__init__(text, depth, load)
        self._waiting: list[tuple[Redirect, str, bool, bool]] = []

    def script(self) -> Listing:
        """The whole text as a list of commands."""
        if (alone := self._alone()) is not None:
            return alone
        whole = Listing()
        while self.pos < self.end:
            part = self.listing(_NO_WORDS)
            whole.items += part.items
            whole.background += part.background
            if self.pos < self.end:
                self.faulty = True
                self.pos += 1
                self.carry(COMMAND_LOAD)
        if self._waiting:
            self._read_bodies()
        return whole

    def nested(self, text: str) -> "Reader":
        """A reader for a text inside this one, one level deeper."""
        return Reader(text, self.depth + 1, self.load)

    def _alone(self) -> Listing | None:
        """The text if it is one command of plain words, read at once."""
        found = _PLAIN_TEXT.fullmatch(self.text)
        if found is None or self.depth > MAX_DEPTH or self.load[0] + 1 + COMMAND_LOAD > MAX_LOAD:
            return None
        words = self.text.split()
        if words[0] in _NOT_PROGRAMS or len(words) > MAX_WORDS:
            return None
        self.load[0] += 1 + COMMAND_LOAD
        self.pos = self.end
        return Listing([Simple([], [*words], [], words)], [False])

    # -- lists and commands

    def listing(self, stop: frozenset[str]) -> Listing:
        """Commands up to a closing bracket or one of the words of `stop`, which is left to be read."""
        found = Listing()
        if self.depth > MAX_DEPTH or not self.carry(1):
            self.give_up()
            return found
        self.depth += 1
        while self._to_command():
            if self.text[self.pos] == ")" or (stop and self.peek() in stop):
                break
            if self.text.startswith((";;", ";&"), self.pos):
                break
            before = self.pos
            node = self._pipeline()
            separator = self._separator()
            found.items.append(node)
            found.background.append(separator == "&")
            if separator.startswith((";;", ";&")) or self.pos == before:
                break
        self.depth -= 1
        return found

    def _to_command(self) -> bool:
        """Skip blanks, line ends, comments and empty commands; whether anything is left."""
        while self.pos < self.end:
            if gap := (_GAP_IN_LINE if self._waiting else _GAP).match(self.text, self.pos):
                self.pos = gap.end()
            elif self.text[self.pos] == "\n":
                self._line_end()
            else:
                if repeated := _REPEATED.match(self.text, self.pos):
                    self.pos = repeated.end() - len(repeated[1])
                return True
        return False

    def _line_end(self) -> None:
        self.pos += 1
        if self._waiting:
            self._read_bodies()

    def _separator(self) -> str:
        self.skip_blanks()
        if (found := _SEPARATOR.match(self.text, self.pos)) is None:
            return ""
        if found[0] == "\n":
            self._line_end()
        elif not found[0].startswith((";;", ";&")):
            self.pos = found.end()
        return found[0]

    def _pipeline(self) -> Node:
        parts = [self._command()]
        self.skip_blanks()
        while self.text.startswith("|", self.pos) and not self.text.startswith("||", self.pos):
            self.pos += 2 if self.text.startswith("|&", self.pos) else 1
            if not self._to_command():
                self.faulty = True
                break
            parts.append(self._command())
            self.skip_blanks()
        return parts[0] if len(parts) == 1 else Pipeline(parts)

    def _command(self) -> Node:
        if not self.carry(COMMAND_LOAD):
            return Simple()
        if self.text.startswith("((", self.pos) and (end := self.arithmetic_end(self.pos + 2)):
            node: Node = Simple([], [":", self.inner_text(self.pos + 2, end)])
            self.pos = end + 2
            return self._with_redirects(Compound([Listing([node], [False])]))
        if self.text.startswith("(", self.pos):
            self.pos += 1
            body = self.listing(_NO_WORDS)
            self.expect(")")
            return self._with_redirects(Compound([body], subshell=True))
        word = self.peek()
        if word in _OPENERS:
            return self._opened(word)
        if word in _STRAYS:
            self.faulty = True
            self.pos += len(word)
            return Simple()
        return self._simple()

    def _opened(self, word: str) -> Node:
        self.pos += len(word)
        if word in {"!", "time", "coproc"}:
            self.skip_blanks()
            while word == "time" and self.peek() in {"-p", "--"}:
                self.pos += 2
                self.skip_blanks()
            return self._command() if self.pos < self.end and self.text[self.pos] not in "\n;&|)" else Simple()
        readers: dict[str, Callable[[], Node]] = {
            "{": self._group,
            "[[": self._test,
            "case": self._case,
            "for": self._loop,
            "select": self._loop,
            "function": self._named_function,
        }
        return readers.get(word, self._bodies)()

    def _group(self) -> Node:
        body = self.listing(frozenset({"}"}))
        self.expect("}")
        return self._with_redirects(Compound([body]))

    def _bodies(self) -> Node:
        """The lists of an if, while or until, up to its closing word."""
        bodies = []
        while True:
            bodies.append(self.listing(_BODY_WORDS))
            word = self.peek()
            if word not in _BODY_WORDS:
                self.faulty = True
                break
            self.pos += len(word)
            if word in {"fi", "done"}:
                break
        return self._with_redirects(Compound(bodies))

    def _loop(self) -> Node:
        self.skip_blanks()
        variable, items = "", []
        if self.text.startswith("((", self.pos) and (end := self.arithmetic_end(self.pos + 2)):
            items.append(self.inner_text(self.pos + 2, end))
            self.pos = end + 2
        else:
            name = _NAME.match(self.text, self.pos)
            variable = name[0] if name else ""
            self.pos = name.end() if name else self.pos
            self.skip_gaps()
            if self.peek() == "in":
                self.pos += 2
                items = self._words_to_line_end()
        self.skip_gaps()
        opener = self.peek()
        if opener not in {"do", "{"}:
            self.faulty = True
            return Compound([], variable, items)
        self.pos += len(opener)
        closer = "done" if opener == "do" else "}"
        body = self.listing(frozenset({closer}))
        self.expect(closer)
        return self._with_redirects(Compound([body], variable, items))

    def _words_to_line_end(self) -> list[Word]:
        words: list[Word] = []
        self.skip_blanks()
        while self.pos < self.end and self.text[self.pos] not in "\n;&|()<>":
            words.append(self.word())
            self.skip_blanks()
        return words

    def _case(self) -> Node:
        self.skip_blanks()
        subject = self.word()
        bodies = [Listing([Simple([], [":", subject])], [False])]
        self.skip_gaps()
        if self.peek() != "in":
            self.faulty = True
            return Compound(bodies)
        self.pos += 2
        while self._to_command() and self.peek() != "esac":
            pattern_end = self.text.find(")", self.pos)
            if pattern_end < 0:
                self.faulty = True
                break
            self.pos = pattern_end + 1
            bodies.append(self.listing(frozenset({"esac"})))
            while self.pos < self.end and self.text[self.pos] in ";&":
                self.pos += 1
        self.expect("esac")
        return self._with_redirects(Compound(bodies))

    def _named_function(self) -> Node:
        self.skip_blanks()
        name = self.word()
        if paren := _FUNCTION.match(self.text, self.pos):
            self.pos = paren.end()
        return self._function(name)

    def _function(self, name: Word) -> Node:
        self._to_command()
        body = self._command() if self.pos < self.end else Simple()
        return Function(shown(name) if isinstance(name, str) else "", body)

    def _test(self) -> Node:
        words: list[Word] = ["[["]
        while self.pos < self.end:
            self.skip_gaps()
            if self.text.startswith("]]", self.pos):
                self.pos += 2
                return self._with_redirects(Compound([Listing([Simple([], words)], [False])]))
            before = self.pos
            words.append(self.word())
            self.pos += self.pos == before
        self.faulty = True
        return Simple([], words)

    def _simple(self) -> Node:
        if plain := _PLAIN_COMMAND.match(self.text, self.pos):
            self.pos = plain.end()
            words = plain[1].split()
            whole = Simple([], [*words], [], words if len(words) <= MAX_WORDS else None)
            self._limit(whole)
            return whole
        found = Simple()
        while not self._at_command_end():
            if found.words and (plain := _PLAIN_WORDS.match(self.text, self.pos)):
                self.pos = plain.end()
                found.words += plain[0].split()
                self._limit(found)
            elif redirect := _REDIRECT.match(self.text, self.pos):
                self._redirect(redirect, found.redirects)
            elif self.text[self.pos] == "&":
                break
            elif not found.words and (assignment := _ASSIGN.match(self.text, self.pos)):
                self._assignment(assignment, found.assignments)
            elif (named := self._argument(found)) is not None:
                return self._function(named)
            elif self.faulty and self.pos < self.end and self.text[self.pos] == "(":
                break
        return found

    def _at_command_end(self) -> bool:
        self.skip_blanks()
        if self.text.startswith("#", self.pos):
            line_end = self.text.find("\n", self.pos)
            self.pos = self.end if line_end < 0 else line_end
        return self.pos >= self.end or self.text[self.pos] in ";|\n)"

    def _argument(self, found: Simple) -> Word | None:
        """Read one more word; the name when it turns out to begin a function."""
        before = self.pos
        self.carry(1)
        word = self.word()
        if not found.words and (paren := _FUNCTION.match(self.text, self.pos)):
            self.pos = paren.end()
            return word
        if self.pos == before:
            self.faulty = True
            return None
        if isinstance(word, str) and word.endswith("=") and self.text.startswith("(", self.pos):
            found.assignments.append(Assignment(word[:-1].removesuffix("+"), self._array()))
            return None
        found.words.append(word)
        self._limit(found)
        return None

    def _limit(self, found: Simple) -> None:
        if len(found.words) > MAX_WORDS:
            self.give_up()

    def _assignment(self, found: re.Match[str], into: list[Assignment]) -> None:
        self.pos = found.end()
        self.carry(2)
        values = self._array() if self.text.startswith("(", self.pos) else [self.word()]
        into.append(Assignment(found[1], values, bool(found[3])))

    def _array(self) -> list[Word]:
        self.pos += 1
        values: list[Word] = []
        while self._to_command() and self.text[self.pos] != ")":
            before = self.pos
            self.carry(1)
            values.append(self.word())
            if self.pos == before:
                break
        self.expect(")")
        return values

    def _with_redirects(self, node: Compound) -> Compound:
        self.skip_blanks()
        while redirect := _REDIRECT.match(self.text, self.pos):
            self._redirect(redirect, node.redirects)
            self.skip_blanks()
        return node

    def _redirect(self, found: re.Match[str], into: list[Redirect]) -> None:
        self.pos = found.end()
        self.carry(4)
        self.skip_blanks()
        start = self.pos
        redirect = Redirect(found[2], self.word(), found[1] or "")
        if self.pos == start:
            self.faulty = True
        if found[2] in {"<<", "<<-"}:
            delimiter = self.text[start : self.pos]
            plain = delimiter.translate(_DELIMITER_QUOTES)
            self._waiting.append((redirect, plain, found[2] == "<<-", plain != delimiter))
            self.carry(40)
            redirect.target = ""
        into.append(redirect)

    def _read_bodies(self) -> None:
        waiting, self._waiting = self._waiting, []
        for redirect, delimiter, strips, quoted in waiting:
            pattern = re.compile(rf"^{chr(9) + '*' if strips else ''}{re.escape(delimiter)}\r?$", re.MULTILINE)
            closing = pattern.search(self.text, self.pos)
            body = self.text[self.pos : closing.start() if closing else self.end]
            self.pos = min(closing.end() + 1, self.end) if closing else self.end
            self.faulty |= closing is None
            redirect.target = hidden(body)
            if not quoted and ("$" in body or "`" in body):
                reader = self.nested(body)
                redirect.target = reader.quoted_text()
                self.faulty |= reader.faulty

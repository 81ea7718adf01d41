"""Follows a line as bash would, without running it, and gathers every argument list that it could come to."""

import re
from fnmatch import fnmatchcase
from functools import lru_cache

from desktop.policy.shell.deny.call import (
    ANY,
    DECODED,
    FETCHED,
    MARKS,
    Call,
    DenyPlaces,
    is_unknown,
    marks_of,
    program_name,
    static,
    thinned,
    unmarked,
)
from desktop.policy.shell.deny.classes.code import shell_texts
from desktop.policy.shell.deny.classes.tables import JUDGED
from desktop.policy.shell.deny.reader.bomb import spawns_itself
from desktop.policy.shell.deny.reader.builtins import BUILTINS, fed_words
from desktop.policy.shell.deny.reader.flow import output_of
from desktop.policy.shell.deny.reader.nodes import (
    SOME,
    Compound,
    Function,
    Listing,
    Node,
    Pipeline,
    Redirect,
    Simple,
    Substitution,
    Word,
)
from desktop.policy.shell.deny.reader.reader import Reader
from desktop.policy.shell.deny.reader.scope import Scope
from desktop.policy.shell.deny.reader.wrap import Inner, any_program, inner_commands, interpreter, runs_others
from desktop.policy.shell.verdict import DenyHit

MAX_NESTING = 10
MAX_STEPS = 300
MAX_VISITS = 1_500
MAX_PROGRAMS = 64
MAX_FIELDS = 3_000
MAX_WALKED = 3_000
MAX_READ = 250_000
MAX_CODE = 14_000
_FETCH_REASON = "It would run what was downloaded or decoded just now, unseen."
_SHELL_CODE = {"sh", ""}


class Walk:
    """The walk through one line of shell. Afterwards: `calls` in order, `codes` of interpreters, `hits` found on the
    way, and the texts that could not be read cleanly (`unclean`)."""

    _nesting = _steps = _visits = _walked = _code_read = _read = _level = 0
    _remote = False
    _feed = ""

    def __init__(self, places: DenyPlaces) -> None:
        self.places = places
        self.calls: list[Call] = []
        self.codes: list[tuple[str, str, Call]] = []
        self.hits: list[DenyHit] = []
        self.unclean: list[str] = []
        self.scope = Scope(places, self._substituted)
        self._load = [0, 0]
        self._sinks: dict[str, Listing] = {}

    def text(self, text: str, stdin: str = "") -> str:
        """Follow a shell text; what it prints, as far as that is known."""
        self._read += len(text)
        if self._nesting >= MAX_NESTING or self._read > MAX_READ:
            self.unclean.append(text)
            return SOME
        reader = Reader(text, self._level, self._load)
        listing = reader.script()
        if reader.faulty:
            self.unclean.append(text)
        self._nesting += 1
        output = self._listing(listing, stdin)
        self._nesting -= 1
        return output

    def _substituted(self, piece: Substitution) -> str:
        if piece.kind == ">":
            self._listing(piece.body, self._feed)
            path = f"/dev/fd/{63 + len(self._sinks)}"
            self._sinks[path] = piece.body
            return path
        output = self._listing(piece.body, "").rstrip("\n")
        if piece.kind == "<":
            path = f"/dev/fd/{1063 + len(self.scope.files)}"
            self.scope.files[path] = output
            return path
        return output

    def _listing(self, listing: Listing, stdin: str) -> str:
        output = ""
        self._level += 1
        for node, background in zip(listing.items, listing.background, strict=True):
            output = (output + self._node(node, stdin))[:200_000]
            if background and spawns_itself({}, node):
                self._bomb()
        self._level -= 1
        return output

    def _node(self, node: Node, stdin: str) -> str:
        self._visits += 1
        if self._visits > MAX_VISITS:
            raise OverflowError
        if isinstance(node, Simple):
            return self._simple(node, stdin)
        if isinstance(node, Pipeline):
            for part in node.parts:
                stdin = self._node(part, stdin)
            return stdin
        if isinstance(node, Function):
            return self._define(node)
        return self._compound(node, stdin)

    def _define(self, node: Function) -> str:
        self.scope.functions[node.name] = node.body
        if spawns_itself(self.scope.functions, node.body, node.name):
            self._bomb()
        saved, self.scope.positional = self.scope.positional, None
        folder = self.scope.folder
        self._node(node.body, "")
        self.scope.positional, self.scope.folder = saved, folder
        return ""

    def _bomb(self) -> None:
        self.hits.append(
            DenyHit(
                id="D-bomb", severity="forbid", reason="It starts itself again and again until nothing else can run."
            )
        )

    def _compound(self, node: Compound, stdin: str) -> str:
        folder = self.scope.folder
        writes, reads, fed = self._redirects(node.redirects, stdin)
        if writes or reads:
            self._note(Call("", [], folder, fed, [path for path, _ in writes], reads))
        if node.variable:
            values = [field for item in node.items for field in self.scope.fields(item)]
            self.scope.assign(node.variable, values if node.items else self.scope.fields((SOME,)))
        output = ""
        for _ in range(7):
            before = self.scope.folder
            output = "".join([output, *(self._listing(body, fed) for body in node.bodies)])[:200_000]
            if node.subshell or self.scope.folder == before:
                break
        if node.subshell:
            self.scope.folder = folder
        return self._stored(writes, output)

    def _simple(self, node: Simple, stdin: str) -> str:
        if node.argv is not None:
            return self.call(node.argv, stdin, [], [], [])
        assigned = []
        for assignment in node.assignments:
            values = [value for word in assignment.values for value in self.scope.values(word)]
            self.scope.assign(assignment.name, values, adds=assignment.adds)
            assigned += [(assignment.name, value) for value in values]
        saved, self._feed = self._feed, stdin
        writes, reads, fed = self._redirects(node.redirects, stdin)
        self._feed = fed
        lists = self._argument_lists(node.words)
        self._feed = saved
        targets = [path for path, _ in writes]
        if not lists and (writes or reads or assigned):
            self._note(Call("", [], self.scope.folder, fed, targets, reads, assigned))
            output = fed if reads else ""
        else:
            output = "".join(self.call(argv, fed, targets, reads, assigned) for argv in lists)
        return self._stored(writes, output)

    def _argument_lists(self, words: list[Word]) -> list[list[str]]:
        if not words:
            return []
        programs = self.scope.alternatives(words[0])
        rest: list[str] = []
        for word in words[1:]:
            rest += self.scope.fields(word)
            if len(rest) > MAX_FIELDS:
                raise OverflowError
        if len(programs) > MAX_PROGRAMS:
            raise OverflowError
        return [argv for program in programs if (argv := [*program, *rest])]

    def _redirects(self, redirects: list[Redirect], stdin: str) -> tuple[list[tuple[str, bool]], list[str], str]:
        """Files written (and whether they take standard output), files read, and what standard input then is."""
        writes: list[tuple[str, bool]] = []
        reads: list[str] = []
        for redirect in redirects:
            if redirect.op in {"<<", "<<-", "<<<"}:
                stdin = self.scope.text(redirect.target)
                continue
            for path in self.scope.fields(redirect.target) or [""]:
                if (redirect.op in {"<&", ">&"} and path.rstrip("-").isdigit()) or path == "-":
                    continue
                if redirect.op != "<":
                    writes.append((path, redirect.fd in {"", "1"} and redirect.op not in {"<>", "<&"}))
                if redirect.op in {"<", "<>", "<&"}:
                    reads.append(path)
                    stdin = self.scope.content(path)
        return writes, reads, stdin

    def _stored(self, writes: list[tuple[str, bool]], output: str) -> str:
        taken = False
        for path, takes_output in writes:
            taken |= takes_output
            if sink := self._sinks.get(path):
                self._listing(sink, output)
            elif takes_output:
                self.scope.store(path, output)
        return "" if taken else output

    def _note(self, call: Call) -> None:
        call.remote = self._remote
        call.marks = marks_of(*call.argv, *[value for _, value in call.assigned], call.stdin)
        self.calls.append(call)

    def call(
        self, argv: list[str], stdin: str, writes: list[str], reads: list[str], assigned: list[tuple[str, str]]
    ) -> str:
        """Follow one argument list; what it prints, as far as that is known."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            self.unclean.append(" ".join(argv))
            return SOME
        argv = thinned(argv)
        self._walked += len(argv)
        if self._walked > MAX_WALKED:
            raise OverflowError
        while argv and not static(argv[0]) and not is_unknown(argv[0]) and len(argv) > 1:
            argv = argv[1:]
        outputs = []
        for name in names_of(argv[0]):
            call = Call(name, argv, self.scope.folder, stdin, writes, reads, assigned)
            self._note(call)
            outputs.append(self._followed(call))
        return "".join(outputs)

    def _followed(self, call: Call) -> str:
        scope = self.scope
        if not call.marks and is_inert(call.program) and not (scope.functions or scope.aliases or scope.files):
            return output_of(call, scope)
        body = scope.functions.get(unmarked(call.argv[0]))
        if body is not None and self._nesting < MAX_NESTING:
            saved, scope.positional = scope.positional, call.args
            self._nesting += 2
            output = self._node(body, call.stdin)
            self._nesting -= 2
            scope.positional = saved
            return output
        if call.argv[0] in scope.aliases:
            return self.text(" ".join([scope.aliases.pop(call.argv[0]), *call.args]), call.stdin)
        if effect := BUILTINS.get(call.program):
            effect(scope, call)
        inner = any_program(call.args) if call.program == ANY else inner_commands(call.program, call.args)
        self._check_program_word(call)
        if call.program in _EVALUATES_WORDS:
            inner.texts += [f': "{word}"' for word in call.args if "$(" in word or "`" in word]
        if call.program in {"source", "."}:
            inner.script, inner.language = next(iter(call.args), ""), "sh"
        if call.program == "parallel" and not inner.argvs:
            inner.argvs = [[]]
        inner.argvs = [argv for fixed in inner.argvs for argv in fed_words(call, fixed)]
        ran = self._ran(call, inner) if inner.holds_any() else ""
        own = output_of(call, scope)
        return ran if ran and (inner.argvs or inner.texts) else own

    def _check_program_word(self, call: Call) -> None:
        word = call.argv[0]
        stored = self.scope.files.get(self.scope.path(word), "") if self.scope.files else ""
        if (marks_of(word, stored).strip("\x04") and (stored or not static(word))) or (
            call.program == ANY and marks_of(*call.args).strip("\x04") and "\x04" not in word
        ):
            self._fetched(call)
        if stored and not is_unknown(stored):
            self.text(unmarked(stored))

    def _fetched(self, call: Call) -> None:
        self.hits.append(call.hit("D-fetch-run", _FETCH_REASON))

    def _ran(self, call: Call, inner: Inner) -> str:
        """Follow what a call runs inside."""
        for name, value in inner.assigned:
            call.assigned.append((name, value))
        remote, self._remote = self._remote, self._remote or inner.remote
        output = "".join(self.call(argv, call.stdin, [], [], []) for argv in inner.argvs)
        texts = list(inner.texts)
        if inner.script:
            self._script(call, inner, texts)
        if inner.reads_stdin and call.stdin:
            texts.append(call.stdin)
        saved = self.scope.positional
        if inner.parameters:
            self.scope.positional = inner.parameters[1:]
            self.scope.assign("0", inner.parameters[:1])
        for text in texts:
            if (FETCHED in text or DECODED in text) and not inner.remote:
                self._fetched(call)
            plain = unmarked(text)
            if inner.language in _SHELL_CODE:
                output += self.text(plain, "" if inner.reads_stdin else call.stdin)
            else:
                self._code(inner.language, plain, call)
        self.scope.positional = saved
        for code in inner.codes:
            if (FETCHED in code or DECODED in code) and inner.language:
                self._fetched(call)
            self._code(inner.language, unmarked(code), call)
        self._remote = remote
        return output

    def _script(self, call: Call, inner: Inner, texts: list[str]) -> None:
        """A script file: what the line itself put into it, if it did."""
        path = self.scope.path(inner.script)
        if marks_of(inner.script).strip("\x04"):
            self._fetched(call)
        content = self.scope.files.get(path, "")
        if content:
            texts.append(content)
        elif static(inner.script) in {"/dev/stdin", "/dev/fd/0", "-"}:
            texts.append(call.stdin)

    def _code(self, language: str, code: str, call: Call) -> None:
        self._code_read += len(code)
        if self._code_read > MAX_CODE:
            raise OverflowError
        base = interpreter(language) or language
        self.codes.append((base, code, call))
        for text in shell_texts(base, code):
            self.text(text, "")


def followed(command: str, places: DenyPlaces) -> Walk:
    """The walk over a whole line; characters that serve as marks here are taken out first."""
    walk = Walk(places)
    walk.text(_OWN.sub(" ", command))
    return walk


_OWN = re.compile("[" + MARKS + "\x00\x01\x06]")
_EVALUATES_WORDS = frozenset(["let", "[[", "declare", "typeset", "local", "unset", "read", "test", "["])


@lru_cache(maxsize=512)
def names_of(word: str) -> tuple[str, ...]:
    """The programs that a program word may stand for."""
    name = program_name(word)
    if not any(char in name for char in "*?[") or name in {"[", "[["}:
        return (name,)
    if not name.strip("*?") or len(name) > 128:
        return (ANY,)
    return tuple(known for known in JUDGED if fnmatchcase(known, name)) or (name,)


@lru_cache(maxsize=512)
def is_inert(program: str) -> bool:
    """Whether a call of a program, whatever its words, runs nothing else and changes nothing known of the line."""
    return not (program in BUILTINS or program in _EVALUATES_WORDS or runs_others(program))


def runs_nothing(program: str, args: list[str]) -> bool:
    """Whether a call, at least with these words, runs nothing else and changes nothing known of the line."""
    if is_inert(program):
        return True
    if program in BUILTINS or program in _EVALUATES_WORDS or program in {ANY, "source", "."}:
        return False
    inner = inner_commands(program, args)
    return inner.language == "sh" and not inner.holds_any()

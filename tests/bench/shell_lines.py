"""Command lines made to take long: pieces of shell text repeated, nested and mixed up to and over the size limit."""

import random
from collections.abc import Callable, Iterator

SIZES = (400, 2_000, 6_000, 12_000, 16_300, 16_400, 40_000, 65_536, 99_900, 100_001)
PIECES = (
    "a ", "a", "''", '"a"', '"', "\\", "a|", "a&&", "a||", "true;", ">a ", "<a ", "{", "(", "$(", "`", "<<a ", "<<<a ",
    "${a", "$a", "${a:-", "$((", "((", "[", "[[ ", "* ", "*", "?", "../", "/", "ls a b;", "cd a;", "cat .env;", "#\n",
    "\n", " ", "\t", "bash -c '", 'bash -c "', "find . -exec ", "sudo ", "1>&2 ", "x||", "case x in ",
    "for a in b;do ", "while a;do ", "if a;then ", "f(){ ", "}", ")", "]]", "done;", "fi;", "esac;",
    "psql -c 'select 1';", "{a,b}", "{1..256}", "{a,{b,c}}", "x=$x$x;", "a=(", "eval ", "xargs ", "env A=1 ",
    "rm -rf ", "rm -rf a;", "rm -rf ~/a ", "curl h|", "curl h;", "base64 -d|", "|sh;", "$'\\x41'", "$'",
    "--option=value ", "--a=/etc/b ", "-a ", "a=b@c,", "~/a ", "~", "/etc/passwd ", "git push;", "git -c a.b=!x ",
    "python3 -c '", "open('/etc/a','w');", "os.system('ls')", "awk '{print}' ", "sed 's/a/b/' ", "tar cf a ",
    "kill -9 1;", "\u00e9", "\u200b", "\U0001f600", "\u00a0", "\r\n", "!", "=", ":", ",", "@", "%", "^", "-", "+", "&",
    ";", ";;", "|&", "&>a ", ">(a) ", "<(a) ", "mapfile -C ", "trap 'a' ", "coproc a;", "declare a=", "export a=b;",
    "read a;", "printf -v a b;", "alias a=b;", "a;", "\\\n", "cat <<E\nE\n", "dd of=/dev/sda ", "chmod -R a b;",
    "ssh h ", "docker run -v /:/a ", "/proc/self/fd/1 ", "exec ", "nc -e sh h;",
)  # fmt: skip
CLOSERS = {"$(": ")", "(": ")", "{": "}", "`": "`", '"': '"', "bash -c '": "'", "${a:-": "}", "$((": "))", "[": "]"}


def repeated(rng: random.Random, size: int) -> str:
    """One piece, or a short run of pieces, again and again."""
    run = "".join(rng.choices(PIECES, k=rng.choice((1, 1, 2, 3, 5))))
    return (run * (size // len(run) + 1))[:size]


def mixed(rng: random.Random, size: int) -> str:
    """Pieces of a small choice in any order."""
    few = rng.sample(PIECES, rng.choice((2, 4, 8, 30)))
    return "".join(rng.choices(few, k=size // 2))[:size]


def nested(rng: random.Random, size: int) -> str:
    """A piece that opens, often, and its closing as often."""
    opener = rng.choice(list(CLOSERS))
    inside = rng.choice(PIECES)
    depth = min(size // (len(opener) + len(inside) + 2), rng.choice((10, 40, 60, 300, 100_000)))
    one = opener + inside
    text = one * depth + "a" + CLOSERS[opener] * depth
    return (text + rng.choice((";", " ", "\n", "|")))[:size] * max(1, size // max(1, len(text)))


def numbered(rng: random.Random, size: int) -> str:
    """A piece with another number each time, so that nothing can be remembered."""
    piece = rng.choice(PIECES)
    shapes = ("{p}x{n};", "{p}x{n} ", "x{n}{p}", "w{n}() {{ {p} }};", "v{n}={p};$v{n} ", "{p}/d{n}/e ", "'{p}{n}' ")
    shape = rng.choice(shapes)
    return "".join(shape.format(p=piece, n=n) for n in range(size // (len(piece) + 2)))[:size]


def behind(rng: random.Random, size: int) -> str:
    """The words of one program, repeated, and something that could be dangerous at the end."""
    programs = ("rm", "cp", "git", "curl", "cat", "sudo", "find", "python3 -c", "bash -c", "xargs", "foo", "tar")
    program = rng.choice(programs)
    words = rng.choice(PIECES) * (size // 2) if rng.random() < 0.3 else repeated(rng, size)
    return f"{program} {words}"[: size - 12] + rng.choice((" | sh", "; rm -rf /", " 'open", " $(x)", " > /etc/x"))


MAKERS: tuple[Callable[[random.Random, int], str], ...] = (repeated, mixed, nested, numbered, behind)


def made_lines(seed: int, count: int) -> Iterator[str]:
    """So many lines, the same for the same seed."""
    rng = random.Random(seed)
    for _ in range(count):
        yield rng.choice(MAKERS)(rng, rng.choice(SIZES))

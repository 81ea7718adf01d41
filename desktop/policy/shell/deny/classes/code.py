"""Code of interpreters given on the line: the shell texts it would run, and what it does to files and sockets."""

import re

from desktop.patterns import Pattern
from desktop.policy.shell.deny.call import Call, DenyPlaces
from desktop.policy.shell.deny.classes.paths import absolute, is_block_device, is_home, is_kernel_file, is_vital
from desktop.policy.shell.deny.classes.places import sensitive_write
from desktop.policy.shell.deny.reader.text import ansi_c
from desktop.policy.shell.verdict import DenyHit

MAX_CODE = 120_000
MAX_CLOSE_LOOK = 8_000
MAX_TEXTS = 64
MAX_PATHS = 200
_PLACES = Pattern(r"['\"`({\[/|>< ][+<>| ]*(?:[/~$%]|[A-Za-z]:|\.)|home|HOME|USERPROFILE")
_SOCKET_WORDS = ("sock", "tcp", "net", "inet", "connect")
_FETCH_WORDS = (
    "url",
    "http",
    "fetch",
    "open-uri",
    "lwp",
    "download",
    "webclient",
    "invoke",
    "iwr",
    "axios",
    "decode",
    "hex",
    "pack",
    "chr",
    "atob",
    "inflate",
    "rot13",
    "base64",
    "compress",
    "\\x",
    "charcode",
)
_NETWORK_WORDS = (
    "url",
    "http",
    "socket",
    "request",
    "fetch",
    "curl",
    "wget",
    "smtp",
    "ftp",
    "axios",
    "got(",
    "inet",
    "paramiko",
    "lwp",
    "download",
    "invoke",
    "webclient",
    "connect",
    "mechanize",
    "open-uri",
)
_NOTABLE = Pattern(r"[/~]|\brm\b|\bdd\b|mkfs|curl|wget|\bsh\b")
_LITERAL = Pattern(
    r"'''(.*?)'''|\"\"\"(.*?)\"\"\"|'([^'\\]*+(?:\\.[^'\\]*+)*)'|\"([^\"\\]*+(?:\\.[^\"\\]*+)*)\""
    r"|`([^`\\]*+(?:\\.[^`\\]*+)*)`"
    r"|(?:%[xqQ]|qx|q|qq)\s*[{(\[/|]([^})\]/|]*+)[})\]/|]",
    re.DOTALL,
)
_BETWEEN = Pattern(r"[\s,]*+")
_RUNS = Pattern(
    r"\b(?:system|popen\d?|exec[lv]?[pe]*|execute|spawn\w*|run|call|check_output|check_call|getoutput|getstatusoutput"
    r"|shell_exec|passthru|proc_open|execSync|execFile\w*|spawnSync|startfile|posix_spawn\w*|qx|syscall|do shell script"
    r"|Process|ProcessBuilder|sh|bash|command|Command|subprocess|child_process|pty|invoke-expression|iex|start-process"
    r"|shell|zx|execa|backtick)\b|`|%x|\|\s*getline|\|\s*\"|\bprint[^|;}]*\|",
    re.IGNORECASE,
)
_DESTROYS = Pattern(
    r"rmtree|\brmdir|unlink|\bremove\w*|rm_rf|rm_r\b|\brm\b|rmSync|delete\w*|deltree|erase|truncate|shutil\.move"
    r"|\brename"
    r"|\bchmod|\bchown|FileUtils|remove-item|\bsend2trash|rimraf|emptydir|\bmv\b|clear-content",
    re.IGNORECASE,
)
_WRITES = Pattern(
    r"\bwrite\w*|\bopen\b|writeFile\w*|appendFile\w*|file_put_contents|copy\w*|\bdump\b|symlink|\brename|\bmove"
    r"|truncate"
    r"|print\s*>|>|\bfopen|createWriteStream|set-content|add-content|out-file|unlink|remove|\brm\b",
    re.IGNORECASE,
)
_OPENS_TO_WRITE = Pattern(r"\bopen\s*\([^)]{0,300}['\"][rwaxb+]*[wax+][rwaxb+]*['\"]|\bopen\s*\([^)]{0,300}['\"]\s*>")
_OTHER_WRITES = Pattern(_WRITES.pattern.replace(r"|\bopen\b", "").replace("|>|", "|"), re.IGNORECASE)
_HOME = Pattern(
    r"expanduser|Path\.home\(\)|homedir\(\)|\bHOME\b|Dir\.home|USERPROFILE|\$HOME|UserHomeDir|user\.home", re.IGNORECASE
)
_SOCKET = Pattern(
    r"\bsocket\b|IO::Socket|TCPSocket|TCPServer|fsockopen|pfsockopen|stream_socket|net\.(?:connect|Socket"
    r"|createConnection"
    r"|createServer)|require\(['\"]net['\"]\)|/inet/(?:tcp|udp)|TCPClient|tcpclient|UDPSocket|socket\.tcp|\bSocket\("
    r"|Deno\.connect|asyncio\.open_connection",
    re.IGNORECASE,
)
_SHELL_JOIN = Pattern(
    r"dup2|pty\.spawn|/bin/(?:ba|z|da|k)?sh|\bsubprocess|os\.system|child_process|\bexec\b|\bexec\(|popen"
    r"|shell_exec|proc_open"
    r"|passthru|\bsystem\b|\bspawn|os\.execute|io\.popen|cmd\.exe|\biex\b|powershell|STDIN|getline",
    re.IGNORECASE,
)
NETWORK_CODE = Pattern(
    r"urllib|urlopen|requests?\.|httpx|http\.client|aiohttp|https?://|net/http|Net::HTTP|LWP|fetch\(|axios"
    r"|XMLHttpRequest"
    r"|open-uri|file_get_contents\(['\"]http|curl_|\bcurl\b|\bwget\b|DownloadString|invoke-webrequest|WebClient"
    r"|smtplib|ftplib"
    r"|\bsocket\b|IO::Socket|TCPSocket|fsockopen|got\(|/inet/|paramiko|mechanize|HTTP::Tiny|Deno\.connect",
    re.IGNORECASE,
)
_EVALUATES = Pattern(
    r"\bexec\s*\(|\beval\b|\beval\(|\bcompile\s*\(|instance_eval|\bFunction\s*\(|vm\.run\w*|assert\s*\("
    r"|create_function|loadstring"
    r"|\bload\s*\(|\biex\b|invoke-expression|os\.system|subprocess|\bsystem\s*[( ]|child_process|execSync"
    r"|marshal\.loads"
    r"|pickle\.loads|popen|\binclude\b|require\s*\(",
    re.IGNORECASE,
)
_FETCHES = Pattern(
    r"urlopen|urlretrieve|requests\.(?:get|post)|httpx\.(?:get|post)|http\.get|https\.get|Net::HTTP|LWP::"
    r"|open-uri|URI\.open"
    r"|file_get_contents\s*\(\s*['\"]https?|fetch\s*\(|axios|DownloadString|DownloadFile|WebClient"
    r"|invoke-webrequest|\biwr\b"
    r"|HTTP::Tiny|curl_exec|invoke-restmethod|URLSession|open\(['\"]https?:",
    re.IGNORECASE,
)
_DECODES = Pattern(
    r"b64decode|decodestring|decodebytes|base64_decode|decode64|decode_base64|unhexlify|fromhex|bytes\.fromhex"
    r"|atob\(|zlib\.decompress"
    r"|gzip\.decompress|gzinflate|gzuncompress|str_rot13|codecs\.decode|unpack\s*\(|pack\s*\(|frombase64string"
    r"|Buffer\.from\([^)]*(?:base64|hex)|fromCharCode|\bchr\(|rot13|hex2bin|\\x[0-9a-f]{2}\\x",
    re.IGNORECASE,
)
_FORKS = Pattern(
    r"(?:while|loop|for|until|forever)\b[^;]{0,80}?\bfork\b|\bfork\b[^;]{0,40}?\b(?:while|until|for)\b",
    re.IGNORECASE | re.DOTALL,
)


def literals(code: str) -> list[str]:
    """The string literals of a code, in order; those with only commas between them also joined by blanks."""
    found: list[str] = []
    row: list[str] = []
    end = -1
    for match in _LITERAL.finditer(code[:MAX_CODE]):
        text = next((group for group in match.groups() if group is not None), "")
        found.append(text)
        if (between := _BETWEEN.match(code, max(end, 0))) and between.end() == match.start() and end >= 0:
            row.append(text)
        else:
            found += [" ".join(row)] if len(row) > 1 else []
            row = [text]
        end = match.end()
    return found + ([" ".join(row)] if len(row) > 1 else [])


def shell_texts(language: str, code: str) -> list[str]:
    """The shell texts that interpreter code may run."""
    if language in {"pwsh", "powershell"}:
        return [code, *literals(code)]
    if not runs_shell(code):
        return []
    texts = [ansi_c(text) for text in literals(code) if text and not text.isspace()]
    return texts if len(texts) <= MAX_TEXTS else [text for text in texts if _NOTABLE.search(text)][: MAX_TEXTS * 4]


def code_hits(language: str, code: str, call: Call, places: DenyPlaces) -> list[DenyHit]:
    """The classes that interpreter code falls into."""
    hits = []
    if "fork" in code and _FORKS.search(code[:MAX_CLOSE_LOOK]):
        hits.append(call.hit("D-bomb", "It forks without end."))
    lowered = code.casefold()
    if not call.remote and _any_of(lowered, _SOCKET_WORDS) and _SOCKET.search(code) and _SHELL_JOIN.search(code):
        hits.append(call.hit("D-shell-back", "It joins a network connection to a shell."))
    if _any_of(lowered, _FETCH_WORDS) and _brings(code) and _EVALUATES.search(code):
        hits.append(call.hit("D-fetch-run", "It would run what was downloaded or decoded just now, unseen."))
    if _names_paths(code):
        hits += _path_hits(language, code, call, places)
    return hits


def _any_of(lowered: str, words: tuple[str, ...]) -> bool:
    return any(word in lowered for word in words)


def _brings(code: str) -> bool:
    return bool(_FETCHES.search(code) or _DECODES.search(code))


def _names_paths(code: str) -> bool:
    """Whether the code names a place outside the lane: without one its deletes and writes stay inside."""
    return bool(_PLACES.search(code)) and bool(_DESTROYS.search(code) or _WRITES.search(code))


def runs_shell(code: str) -> bool:
    """Whether the code runs shell texts, which are then judged by themselves."""
    return _RUNS.search(code) is not None


def reaches_network(code: str) -> bool:
    """Whether the code would talk to the network."""
    return _any_of(code.casefold(), _NETWORK_WORDS) and bool(NETWORK_CODE.search(code))


def _path_hits(language: str, code: str, call: Call, places: DenyPlaces) -> list[DenyHit]:
    hits = []
    destroys = bool(_DESTROYS.search(code))
    writes = len(code) > MAX_CLOSE_LOOK or bool(_OPENS_TO_WRITE.search(code) or _OTHER_WRITES.search(code))
    at_home = bool(_HOME.search(code))
    looked = 0
    for text in literals(code):
        text = text.strip().lstrip("+<>| ")
        if not text or len(text) > 4_096 or not (text[0] in "/~.$%" or text[1:2] == ":" or at_home):
            continue
        looked += 1
        if looked > MAX_PATHS:
            raise OverflowError
        path = absolute(text, call.folder, places)
        if (destroys and text[0] in "/~.$%" and is_vital(path, places)) or (
            destroys and at_home and is_home(path, places)
        ):
            hits.append(call.hit("D-root", "It would delete or change a whole system or home folder."))
        if writes and (is_block_device(path) or is_kernel_file(path)):
            hits.append(call.hit("D-disk", "It would write to a device."))
        if writes or destroys:
            below_home = absolute("~/" + text.lstrip("/~"), call.folder, places) if at_home else path
            hits += [hit for one in {path, below_home} if (hit := sensitive_write(one, call, places))]
    if destroys and re.search(r"rmtree|rm_rf|rm_r\b|rmSync|remove_tree|remove-item|rimraf", code) and at_home:
        whole = re.search(
            r"(?:expanduser\(\s*['\"]~/?['\"]\s*\)|Path\.home\(\)|homedir\(\)|HOME['\"]?[\])}]"
            r"|Dir\.home)\s*[,)\]};]|HOME\}?['\"]?\s*[,)]?\s*\Z",
            code,
        )
        if whole:
            hits.append(call.hit("D-root", "It would delete the home folder."))
    return hits

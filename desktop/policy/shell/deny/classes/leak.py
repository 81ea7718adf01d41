"""D-leak: a credential source and a network program in the same line."""

import re
from fnmatch import fnmatchcase

from desktop.patterns import Pattern
from desktop.policy.protected_names import name_classes
from desktop.policy.shell.deny.call import SECRET, Call, DenyPlaces, option_values, static, unmarked
from desktop.policy.shell.deny.classes.code import reaches_network, runs_shell
from desktop.policy.shell.deny.classes.paths import absolute
from desktop.policy.shell.deny.classes.places import comparable
from desktop.policy.shell.verdict import DenyHit

MAX_PIECES = 64
MAX_PIECE = 4_096
MAX_WORD = 8_192
_SECRETISH = Pattern(r"\.[a-z]|id_|secret|credential|history|passwd|shadow|environ|[*?\[/]", re.IGNORECASE)
NETWORK = frozenset({
    "curl", "wget", "wget2", "nc", "ncat", "netcat", "socat", "telnet", "ftp", "lftp", "sftp", "tftp", "ssh", "mosh",
    "scp", "http", "https",
    "httpie", "xh", "xhs", "curlie", "aria2c", "dig", "nslookup", "host", "drill", "mail", "mailx", "sendmail",
    "mutt", "msmtp", "swaks",
    "ssmtp", "gsutil", "s3cmd", "rclone", "mc", "wormhole", "croc", "websocat", "wscat", "ipfs", "pastebinit",
    "gist", "invoke-webrequest",
    "iwr", "irm", "invoke-restmethod", "certutil", "bitsadmin", "lynx", "w3m", "ngrok", "cloudflared", "transfer",
    "ffsend", "azcopy",
    "b2", "telegram-send", "slack", "nctelnet", "ping", "traceroute", "whois", "grpcurl", "mosquitto_pub",
    "redis-cli-h", "uftp", "ncftpput",
    "smbclient", "davfs2", "cadaver", "lwp-request", "fetch", "finger", "logger-n", "hping3", "dnscat", "iodine",
    "gh-gist", "nats", "kcat",
    "ssh-copy-id", "sshpass", "axel", "hub",
})  # fmt: skip
_NETWORK_VERBS = {
    "aws": {"s3", "s3api", "sns", "sqs", "ses", "lambda", "dynamodb"},
    "gcloud": {"storage", "pubsub", "compute"},
    "az": {"storage"},
    "gh": {"gist", "api", "issue", "pr", "release"},
    "glab": {"api", "snippet", "issue", "mr"},
    "openssl": {"s_client"},
    "rsync": set(),
    "doctl": {"spaces"},
    "oci": {"os"},
    "kubectl": {"cp"},
    "python": {"http.server", "smtpd", "SimpleHTTPServer", "ftplib", "pyftpdlib"},
    "python3": {"http.server", "pyftpdlib"},
    "php": {"-S"},
    "npx": {"serve", "http-server", "localtunnel", "surge"},
    "git": {"push", "send-email"},
    "busybox": {"nc", "wget", "httpd"},
}
SENDING = frozenset({*NETWORK, *_NETWORK_VERBS, "?", "rsync", "scp"})
_STORE = Pattern(
    r"~home~/(?:\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.azure|\.oci|\.password-store|\.mozilla|\.thunderbird"
    r"|\.electrum|\.bitcoin"
    r"|\.ethereum|\.config/(?:gh|gcloud|rclone|hub|op|doctl|fly|configstore|google-chrome|chromium|bravesoftware"
    r"|solana|glab-cli|git/credentials)"
    r"|\.local/share/(?:keyrings|kwalletd|gnome-keyring)|library/(?:keychains|cookies"
    r"|application support/(?:google|firefox))|\.terraform\.d"
    r"|\.cargo/credentials\w*|\.gem/credentials|\.m2/settings\.xml|\.gradle/gradle\.properties"
    r"|\.fly)(?:\.toml)?(?:/.*)?"
    r"|(?:~home~|/root|/home/[^/]+|/users/[^/]+)/\.(?:ssh|aws|gnupg|kube|docker)(?:/.*)?"
    r"|(?:~home~|/root|/home/[^/]+|/users/[^/]+|.*)/\.(?:\w+_history|netrc|git-credentials|vault-token|boto"
    r"|s3cfg|pgpass|my\.cnf|pypirc|rediscli_auth"
    r"|dockercfg|htpasswd|lesshst|node_repl_history|npmrc)"
    r"|/etc/(?:shadow-?|gshadow|passwd-?|sudoers(?:\.d/.*)?|master\.passwd|ssh/ssh_host_\w+|krb5\.keytab"
    r"|kubernetes/.*|ssl/private(?:/.*)?)"
    r"|/proc/(?:self|thread-self|\d+|\*|[\x00\x01])/environ|/var/run/secrets/.*|/run/secrets/.*"
    r"|.*/cookies\.sqlite|.*/login data"
    r"|.*/logins\.json|.*/key4\.db|.*/wallet\.dat|.*/id_(?:rsa|dsa|ecdsa|ed25519)\w*|.*/\.env"
    r"|.*/terraform\.tfstate|.*\.ovpn|.*\.kdbx?"
)
_NAMES = (
    ".env",
    ".ssh",
    ".aws",
    ".netrc",
    ".npmrc",
    ".gnupg",
    ".kube",
    ".docker",
    ".bash_history",
    ".zsh_history",
    "id_rsa",
    "id_ed25519",
    ".git-credentials",
    ".pypirc",
    ".pgpass",
)
_TELLS_NOTHING = {
    "ls", "stat", "test", "[", "[[", "chmod", "chown", "mkdir", "rm", "rmdir", "touch", "echo", "printf", "which",
    "type", "ssh-keygen",
    "ssh-add", "file", "cd", "pushd", "true", ":", "false", "export", "exit", "du", "wc", "shred", "unlink",
    "git-check-ignore", "chgrp",
    "ssh-keyscan", "basename", "dirname", "ssh-agent", "eval", "trap", "alias",
}  # fmt: skip
_KEY_OPTIONS = {
    "ssh": ("-i", "-F", "-o", "-S"),
    "scp": ("-i", "-F", "-o", "-S"),
    "sftp": ("-i", "-F", "-o", "-b"),
    "rsync": ("-e", "--rsh"),
    "mosh": ("--ssh",),
    "curl": (
        "--cert",
        "--key",
        "--cacert",
        "-E",
        "--capath",
        "--netrc-file",
        "-o",
        "--output",
        "--proxy-cacert",
        "-c",
        "--cookie-jar",
    ),
    "wget": ("--certificate", "--private-key", "--ca-certificate", "-O", "--output-document", "-o"),
    "openssl": ("-cert", "-key", "-CAfile"),
    "sshpass": ("-i",),
    "lftp": (),
    "http": ("--cert", "--cert-key"),
    "grpcurl": ("-cert", "-key", "-cacert"),
    "ssh-copy-id": ("-i",),
}
_TOKENS = Pattern(
    r"gh auth (?:token|status .*(?:-t|--show-token).*)|aws (?:.* )?sts (?:get-session-token|assume-role\S*"
    r"|get-federation-token).*"
    r"|aws (?:.* )?(?:configure (?:get|export-credentials).*|secretsmanager get-secret-value.*"
    r"|ssm get-parameters?\S* .*|ecr get-login\S*.*"
    r"|iam create-access-key.*|rds generate-db-auth-token.*|sso get-role-credentials.*)"
    r"|gcloud .*(?:print-access-token|print-identity-token).*"
    r"|gcloud (?:.* )?secrets versions access.*|gcloud (?:.* )?iam service-accounts keys create.*"
    r"|az account get-access-token.*|az keyvault secret show.*"
    r"|az acr login .*--expose-token.*|kubectl (?:.* )?config view .*--raw.*|kubectl (?:.* )?get secrets?\b.*"
    r"|kubectl (?:.* )?create token.*"
    r"|kubectl (?:.* )?describe secrets?\b.*|security (?:find-(?:generic|internet)-password|dump-keychain|export"
    r"|find-identity|find-key).*"
    r"|secret-tool (?:lookup|search).*|pass(?: show)? (?!insert|generate|ls|git|init).+|op (?:read|item get"
    r"|get item|inject).*|bw (?:get|list|export).*"
    r"|lpass (?:show|export).*|vault (?:read|kv get|token|print).*|git credential(?:-\S+)? (?:fill|get).*"
    r"|docker-credential-\S+ (?:get|list).*"
    r"|git-credential-\S+ get.*|npm (?:token|config get .*auth.*|config list.*)|heroku auth:token.*"
    r"|heroku config.*|fly(?:ctl)? (?:auth token|tokens).*"
    r"|glab auth status.*-t.*|doctl auth .*|ssh-keygen .*-y.*|gpg2? .*--export-secret.*|keyring get.*"
    r"|sops (?:.*-d|.*--decrypt|decrypt|exec-env).*"
    r"|ansible-vault (?:view|decrypt).*|doppler (?:secrets|configs).*|vercel env pull.*|rclone config (?:show"
    r"|dump).*|stripe config.*|cmdkey.*"
    r"|supabase (?:secrets|status).*|railway variables.*|netlify env:(?:list|get).*|chamber (?:read|export).*"
    r"|aws-vault exec.*|credstash get.*"
    r"|history(?: .*)?|fc -l.*|printenv(?: .*)?|env(?: -0| --null)?|export(?: -p)?|set|declare (?:-x|-p|-xp|-px)"
    r"|typeset (?:-x|-p)|compgen -[ve].*"
    r"|ps [a-z-]*e(?:ww|aux)?\w* ?e?.*environ.*|mysql_config_editor print.*|dump-keychain.*|klist.*|ykman oath.*"
    r"|oathtool.*|gopass show.*|pass-cli.*"
    r"|kwallet-query.*|gnome-keyring.*|cat /proc/\S+/environ|tr .* < /proc/\S+/environ|defaults read.*|pm2 env.*"
    r"|docker inspect.*|docker compose config.*"
)
_GREPS = Pattern(r"api[_-]?key|secret|passw|token|credential|private[_ -]key|BEGIN .*KEY|AKIA", re.IGNORECASE)
SPOKEN_TO = frozenset({"sftp", "ftp", "lftp", "tftp", "smbclient", "cadaver", "uftp", "ncftp", "psftp"})
"""Programs that take their commands from standard input, a file or an option."""
_PUTS = Pattern(r"(?:^|[;\n\"'])\s*(?:m?put|reput|send|append|pput)\s+([^;\n]{1,1000})", re.IGNORECASE)
MAX_SPOKEN = 8_192
_LOOPBACK = Pattern(
    r"(?:[a-z+]+://)?(?:[^@/\s]*@)?(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0"
    r"|host\.docker\.internal)(?::\d+)?(?:[/?#]\S*)?\Z",
    re.IGNORECASE,
)
_CODE_SOURCE = Pattern(
    r"os\.environ(?!\s*(?:\[|\.get))|(?:process\.env|os\.environ|ENV|getenv)\W{0,3}(?:get)?\W{0,3}\w*(?:KEY"
    r"|TOKEN|SECRET|PASSW|CREDENTIAL)\w*"
    r"|JSON\.stringify\(\s*process\.env\s*\)|process\.env\s*[),;]|ENV\.to_\w+|%ENV\b|dict\(\s*os\.environ"
    r"|ENV\.inspect|getenv\(\)|\$_ENV|\$_SERVER"
    r"|\.ssh\b|\.aws\b|id_rsa|id_ed25519|\.netrc|\.env\b(?!\.)|\.git-credentials|\.npmrc|/etc/(?:passwd|shadow)"
    r"|\.kube/|\.docker/|_history|\.gnupg|\.pem\b|\.config/gh|credentials\.json",
    re.IGNORECASE,
)
_REASON = "It would bring a credential and a network program together in one line."


def leak_hits(calls: list[Call], codes: list[tuple[str, str, Call]], places: DenyPlaces) -> list[DenyHit]:
    """Whether the line has a credential source and a program that talks to the network."""
    senders = [call for call in calls if call.program in SENDING and sends(call)]
    coders = [call for _, code, call in codes if reaches_network(code) and not call.remote]
    if not senders and not coders:
        return []
    if not coders and all(_is_local(call) for call in senders):
        return []
    only_git = all(call.program == "git" for call in [*senders, *coders])
    if only_git:
        added = [call for call in calls if call.program == "git" and "add" in call.args[:3]]
        return [call.hit("D-leak", _REASON) for call in added if _names_secret(call, places)][:1]
    for call in calls:
        if not call.remote and is_source(call, places):
            return [call.hit("D-leak", _REASON)]
    for _, code, call in codes:
        if not call.remote and _CODE_SOURCE.search(code) and (reaches_network(code) or not runs_shell(code)):
            return [call.hit("D-leak", _REASON)]
    return []


def sends(call: Call) -> bool:
    """Whether a call talks to the network and could carry data there."""
    if call.remote or call.program not in SENDING:
        return False
    words = set(call.words)
    if call.program == "rsync":
        return any(":" in static(word) for word in call.parts[1])
    if call.program == "scp":
        return True
    if (verbs := _NETWORK_VERBS.get(call.program)) is not None:
        return bool(verbs & words)
    if call.program == "?":
        return any("://" in word or re.match(r"[\w.-]+@[\w.-]+:", word) for word in words)
    return call.program in NETWORK and bool(call.args or call.stdin)


def _is_local(call: Call) -> bool:
    """Whether everything that reads as an address leads to this machine."""
    words = [unmarked(word) for word in call.args]
    if any(
        word.startswith(("-x", "--proxy", "--resolve", "--connect-to", "--socks", "-K", "--config", "-w"))
        for word in words
    ):
        return False
    if call.program not in {
        "curl",
        "wget",
        "http",
        "https",
        "xh",
        "nc",
        "telnet",
        "websocat",
        "ping",
        "grpcurl",
        "httpie",
    }:
        return False
    operands = call.parts[1]
    addressed = [word for word in operands if _LOOPBACK.match(unmarked(word))]
    foreign = [word for word in operands if "://" in word and word not in addressed]
    dotted = [
        word
        for word in operands
        if re.fullmatch(r"(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:/\S*)?", unmarked(word)) and word not in addressed
    ]
    return (
        bool(addressed) and not foreign and not dotted and not any(static(word) != unmarked(word) for word in addressed)
    )


def is_source(call: Call, places: DenyPlaces) -> bool:
    """Whether a call reads or prints a credential."""
    if SECRET in call.marks:
        return True
    if call.program in {
        "env",
        "printenv",
        "export",
        "set",
        "declare",
        "typeset",
        "history",
        "fc",
        "compgen",
    } and _TOKENS.fullmatch(" ".join([call.program, *map(static, call.args)])):
        return True
    if _TOKENS.fullmatch(" ".join([call.program, *map(static, call.args[:12])])):
        return True
    if call.program in {"grep", "egrep", "rg", "ag", "ack", "git"} and _greps(call):
        return True
    if comparable_store(call.folder, places) and call.program not in _TELLS_NOTHING:
        return True
    return _names_secret(call, places)


def _greps(call: Call) -> bool:
    letters, operands = call.parts
    if call.program == "git" and "grep" not in operands[:1]:
        return False
    return bool(operands) and bool(_GREPS.search(static(operands[0]))) and not letters & {"q", "l", "c"}


def _names_secret(call: Call, places: DenyPlaces) -> bool:
    if any(is_secret_path(word, call, places) for word in call.reads):
        return True
    if call.program in SPOKEN_TO and _puts_secret(call, places):
        return True
    if call.program in _TELLS_NOTHING or (call.program == "git" and "add" not in call.args[:3]):
        return False
    exempt = set(option_values(call.args, *_KEY_OPTIONS.get(call.program, ())))
    skips_remote = call.program in {"scp", "rsync", "sftp", "rclone"}
    for word in dict.fromkeys(call.args):
        text = unmarked(word)
        if word in exempt or text in exempt or (skips_remote and re.match(r"[\w.@-]+:", text)):
            continue
        if any(is_secret_path(piece, call, places) for piece in _pieces(text)):
            return True
    return False


def _puts_secret(call: Call, places: DenyPlaces) -> bool:
    """Whether the commands that a file transfer program is given send a secret file."""
    spoken = "\n".join([call.stdin, *option_values(call.args, "-c", "-e")])[:MAX_SPOKEN]
    sent = [word.strip("'\"") for found in _PUTS.finditer(unmarked(spoken)) for word in found[1].split()]
    return any(is_secret_path(word, call, places) for word in sent[:MAX_PIECES] if word)


def _pieces(text: str) -> list[str]:
    """The parts of a word that may name a file: the word, what follows `=`, `@` or an attached short option."""
    if "://" in text and not text.startswith(("file:", "@")):
        return [piece for piece in re.split(r"[=@]", text)[1:] if "://" not in piece and "/" not in piece[:1]][:0]
    parts = re.split(r"[=@;,<:]", text)
    pieces = [text, *parts[1:], *(re.split(r"[=@;,]", text) if len(text) < MAX_WORD else parts[:1])]
    if re.match(r"-[A-Za-z].", text):
        pieces.append(text[2:].lstrip("@="))
    short = [piece for piece in dict.fromkeys(pieces) if piece and len(piece) < MAX_PIECE]
    if len(short) > MAX_PIECES:
        short = [piece for piece in short if _SECRETISH.search(piece)][: MAX_PIECES * 8]
    return short


def is_secret_path(piece: str, call: Call, places: DenyPlaces) -> bool:
    """Whether a path as given is a secret-class name, a credential store or a shell history."""
    if piece.startswith("-") or " " in piece or piece.endswith(".pub"):
        return False
    whole = absolute(piece, call.folder, places)
    if comparable_store(whole, places):
        return True
    parts = tuple(part for part in static(whole).split("/") if part)
    if "secret" in name_classes(parts[-3:]):
        return True
    return any(
        _could_be_secret(part)
        for part in whole.split("/")
        if len(part) < 128 and ("*" in part or "?" in part or "[" in part)
    )


def comparable_store(whole: str, places: DenyPlaces) -> bool:
    """Whether an absolute path lies in a credential store or is a shell history."""
    return bool(_STORE.fullmatch(comparable(whole, places)))


def _could_be_secret(part: str) -> bool:
    if not part.startswith((".", "id")) or len(part.strip("*?.")) < 1:
        return False
    return any(fnmatchcase(name, part.casefold()) for name in _NAMES)

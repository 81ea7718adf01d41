"""A program at the other end of the wire: it answers, asks back, and writes whatever bytes it is told to.

Standard library only. `echo`: answers with the parameters. `raw`: writes `text` (latin-1), `times` times,
then answers. `big`: tells a text of this length. `ask`: asks `method` with `params` and answers with what came of it.
`slow`: answers when `go` came. `look`, `write`: a file. `env`, `words`: its own. `fetch`: an address. `resolve`: asks
for the address of a name, as programs do and of name servers itself. `spawn`: starts a command. `heard`: everything
that came so far, by method. `error`: answers with an error. `leave`: ends, and leaves a child that keeps its pipes.
`half`: writes half a line and ends. `exit`: ends at once.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path


def send(message: dict[str, object]) -> None:
    os.write(1, (json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())


def write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def answer(number: object, result: object) -> None:
    send({"id": number, "result": result})


def look(path: str) -> str:
    place = Path(path)
    try:
        return ",".join(sorted(one.name for one in place.iterdir())) if place.is_dir() else place.read_text()
    except OSError as error:
        return f"no: {error.strerror}"


def wrote(path: str) -> str:
    try:
        Path(path).write_text("written")
    except OSError as error:
        return f"no: {error.strerror}"
    return "written"


def fetch(params: dict[str, object]) -> str:
    data = json.dumps(params["body"]).encode() if "body" in params else None
    headers = {"Content-Type": "application/json", **params.get("headers", {})}
    try:
        with urllib.request.urlopen(urllib.request.Request(params["url"], data, headers), timeout=20) as answered:
            return f"{answered.status} {answered.read().decode()}"
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.read().decode()}"
    except OSError as error:
        return f"no: {error}"


def resolve(name: str) -> dict[str, str]:
    """What comes of a name, and of a query to name servers over UDP and TCP."""
    found: dict[str, str] = {}
    try:
        found["system"] = str(socket.getaddrinfo(name, 80)[0][4])
    except OSError:
        found["system"] = "no"
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    query = b"\x12\x34\x01\x00\x00\x01" + 6 * b"\x00" + labels + b"\x00\x00\x01\x00\x01"
    for server in ("127.0.0.53", "127.0.0.1", "8.8.8.8"):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as over_udp:
            over_udp.settimeout(0.5)
            try:
                over_udp.sendto(query, (server, 53))
                found[f"udp {server}"] = str(over_udp.recv(512))
            except OSError:
                found[f"udp {server}"] = "no"
        try:
            with socket.create_connection((server, 53), 0.5) as over_tcp:
                over_tcp.sendall(len(query).to_bytes(2, "big") + query)
                found[f"tcp {server}"] = str(over_tcp.recv(512) or "no")
        except OSError:
            found[f"tcp {server}"] = "no"
    return found


def main() -> None:
    waiting: dict[str, object] = {}
    slow: list[object] = []
    heard: list[object] = []
    for line in sys.stdin.buffer:
        message = json.loads(line)
        method, number, params = message.get("method"), message.get("id"), message.get("params")
        heard.append(method or {"id": number, **{k: message[k] for k in ("result", "error") if k in message}})
        match method:
            case "echo":
                answer(number, params)
            case "raw":
                write((params["text"] * params.get("times", 1)).encode("latin-1"))
                answer(number, "written")
            case "big":
                write(b'{"jsonrpc":"2.0","method":"big","params":"' + b"x" * params["length"] + b'"}\n')
                answer(number, "written")
            case "resolve":
                answer(number, resolve(params["name"]))
            case "look":
                answer(number, look(params["path"]))
            case "write":
                answer(number, wrote(params["path"]))
            case "env":
                answer(number, dict(os.environ))
            case "words":
                answer(number, sys.argv[1:])
            case "fetch":
                answer(number, fetch(params))
            case "spawn":
                subprocess.Popen(params["words"])
                answer(number, "spawned")
            case "leave":
                os.write(2, b"last words\n")
                if os.fork():
                    os._exit(7)
                os.setsid()
                signal.pause()
            case "ask":
                asked = f"q{number}"
                waiting[asked] = number
                send({"id": asked, "method": params["method"], "params": params["params"]})
            case "slow":
                slow.append(number)
            case "go":
                for one in slow:
                    answer(one, "late")
            case "heard":
                answer(number, heard)
            case "error":
                send({"id": number, "error": {"code": -32000, "message": "Sign in.", "data": {"how": "here"}}})
            case "half":
                write(b'{"jsonrpc":"2.0","method":"half')
                return
            case "exit":
                os._exit(3)
            case None if number in waiting:
                answer(waiting.pop(number), {k: message[k] for k in ("result", "error") if k in message})


if __name__ == "__main__":
    main()

"""A program at the other end of the wire: it answers, asks back, and writes whatever bytes it is told to.

Standard library only. `echo`: answers with the parameters. `raw`: writes `text` (latin-1), `times` times, then answers.
`ask`: asks `method` with `params` and answers with what came of it. `slow`: answers when `go` came. `big`: tells a
text of this length. `half`: writes half
a line and ends. `heard`: everything that came so far, by method. `error`: answers with an error. `exit`: ends at once.
"""

import json
import os
import sys


def send(message: dict[str, object]) -> None:
    os.write(1, (json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())


def write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def answer(number: object, result: object) -> None:
    send({"id": number, "result": result})


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

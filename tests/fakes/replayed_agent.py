"""A program that speaks ACP by saying again what an agent said once: `replayed_agent.py TRACE`. Standard library alone.

TRACE has a message a line, {"to": "guest" or "us", "message": …}, in the order in which they went. Those to us are said
once those to the guest before them have come: requests and notifications by their method, answers by their request.
`/lane` stands for the lane that it is told of. What its tools did is not done again.
"""

import json
import sys
from pathlib import Path


class Replay:
    """`live`: the ids of our requests now, by those of the trace."""

    def __init__(self, trace: str) -> None:
        self.trace = [json.loads(line) for line in Path(trace).read_text(encoding="utf-8").splitlines()]
        self.live: dict[object, object] = {}
        self.lane = "/lane"

    def run(self) -> None:
        for one in self.trace:
            if one["to"] == "us":
                self.say(dict(one["message"]))
            else:
                self.wait(one["message"])
        sys.stdin.read()

    def say(self, message: dict) -> None:
        if "method" not in message:
            message["id"] = self.live[message["id"]]
        print(json.dumps(message).replace("/lane", self.lane), flush=True)

    def wait(self, expected: dict) -> None:
        line = sys.stdin.readline()
        if not line:
            sys.exit(0)
        came = json.loads(line)
        if expected.get("method") != came.get("method"):
            sys.exit(f"It should have been {json.dumps(expected)[:200]}, and was {line[:200]}")
        if "method" in came and "id" in came:
            self.live[expected["id"]] = came["id"]
        if came.get("method") == "session/new":
            self.lane = came["params"]["cwd"]


if __name__ == "__main__":
    Replay(sys.argv[1]).run()

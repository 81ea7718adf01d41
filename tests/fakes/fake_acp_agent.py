"""A program that speaks ACP and plays a script: `fake_acp_agent.py SCRIPT [LOG]`. Standard library alone. SCRIPT is a
file, or the text itself.

The script is JSON: {"init": {…}, "new": {…}, "load": {…} or null, "resume": true, "confirms": true, "prompts":
[[step, …], …], "queue": path, "after": [step, …]}. With "confirms" it says which mode it is in when that is set;
"after" is what it does once a prompt is answered, "authenticate" what it answers to a sign-in, or "hold". With "busy"
it takes no prompt while one runs; methods in "late" are not answered. A prompt plays the next list, or the next line of
the file that "queue" names; when none is left it says "nothing more". A step is one of

  {"say": text} {"think": text} {"plan": [entry, …]} {"update": {…}} {"raw": "a line"}
  {"ask": {toolCall}, "options": [...], "then": [step, …], "else": [step, …]}   a request; then: it was allowed
  {"write": path, "content": text}    fs/write_text_file; what is answered is said
  {"call": method, "params": {…}}     any request; what is answered is said
  {"hold": true or path}              until session/cancel, which ends the turn, or until this file is there
  {"deaf": true}                      until for ever, whatever is said
  {"wait_file": path}                 until this file is there
  {"touch": path, "text": text}       write a file by itself
  {"touch_or_say": path}              the same; says "kept out" where it cannot
  {"mcp": method, "params": {…}}      ask the MCP server that it was given, or tell it where "tell" is true; what is
                                      answered is said as JSON. "leave": go on without the answer
  {"mcp_heard": method}               says how often the server told of this
  {"both": [[step, …], [step, …]]}    at once
  {"aside": [step, …]}                while it goes on, also after the turn
  {"pieces": number}                  so many times one character
  {"flood": {…}, "times": number}     so many times this update, with its number in place of each #
  {"ask_model": {…}, "base": variable} asks the model service at the address in this variable, and says what came;
                                      without "base" the one that it was told of as it signed in, at "path"
  {"take_back": true}                 wants no answer to its newest request any more
  {"spawn": [words]}                  a process in a session of its own, which stays
  {"answers": {…}}                    more of what the prompt is answered with
  {"exit": status}  {"end": stopReason}

LOG gets every message that came, a line each.
"""

import json
import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

ONCE = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "ever", "name": "Always", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]
SESSION = "guest-session-1"


class Cancelled(Exception):
    """The turn was cancelled."""


class Server:
    """The MCP server that the agent was told of, started as it was told."""

    def __init__(self, told: dict) -> None:
        env = {**os.environ, **{one["name"]: one["value"] for one in told["env"]}}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([told["command"], *told["args"]], env=env, stdin=pipe, stdout=pipe, text=True)
        self.heard = threading.Condition()
        self.answers: dict[int, dict] = {}
        self.told: list[str] = []
        self.count = 0
        threading.Thread(target=self.listen, daemon=True).start()
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fake"}})
        self.send({"method": "notifications/initialized"})

    def send(self, message: dict) -> None:
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def listen(self) -> None:
        for line in self.process.stdout:
            message = json.loads(line)
            with self.heard:
                if "method" in message:
                    self.told.append(message["method"])
                else:
                    self.answers[message["id"]] = message
                self.heard.notify_all()

    def ask(self, method: str, params: dict, *, leave: bool = False) -> dict:
        with self.heard:
            self.count += 1
            number = self.count
            self.send({"id": number, "method": method, "params": params})
            self.heard.wait_for(lambda: leave or number in self.answers)
        return self.answers.get(number, {})


class Agent:
    def __init__(self, script: dict, log: str) -> None:
        self.script, self.log = script, log
        self.cancelled = threading.Event()
        self.answers: dict[int, dict] = {}
        self.heard = threading.Condition()
        self.count = 0
        self.out = threading.Lock()
        self.over = False
        self.servers: list[dict] = []
        self.server: Server | None = None
        self.starting = threading.Lock()
        self.more: dict = {}
        self.gateway: dict = {}
        self.playing = 0

    def send(self, message: dict) -> None:
        self.line(json.dumps({"jsonrpc": "2.0", **message}))

    def line(self, text: str) -> None:
        with self.out:
            sys.stdout.write(text + "\n")
            sys.stdout.flush()

    def update(self, **update: object) -> None:
        self.send({"method": "session/update", "params": {"sessionId": SESSION, "update": update}})

    def ask(self, method: str, params: dict) -> dict:
        self.count += 1
        number = 1000 + self.count
        self.send({"id": number, "method": method, "params": params})
        with self.heard:
            self.heard.wait_for(lambda: number in self.answers or self.over)
        return self.answers.get(number, {})

    def play(self, number: object, steps: list) -> None:
        stop, self.more = "end_turn", {}
        try:
            stop = self.steps(steps) or stop
        except Cancelled:
            stop = "cancelled"
        self.playing -= 1
        self.send({"id": number, "result": {"stopReason": stop, **self.more}})
        self.steps(self.script.get("after", []))

    def steps(self, steps: list) -> str | None:
        for step in steps:
            if (stop := self.step(step)) is not None:
                return stop
        return None

    def step(self, step: dict) -> str | None:
        if "say" in step:
            self.update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": step["say"]})
        elif "think" in step:
            self.update(sessionUpdate="agent_thought_chunk", content={"type": "text", "text": step["think"]})
        elif "plan" in step:
            self.update(sessionUpdate="plan", entries=step["plan"])
        elif "update" in step:
            self.update(**step["update"])
        elif "raw" in step:
            self.line(step["raw"])
        elif "ask" in step:
            return self.permission(step)
        elif "write" in step:
            return self.call("fs/write_text_file", {"path": step["write"], "content": step["content"]})
        elif "call" in step:
            return self.call(step["call"], step.get("params", {}))
        elif "aside" in step:
            threading.Thread(target=self.steps, args=(step["aside"],), daemon=True).start()
        elif "mcp" in step:
            self.mcp(step)
        elif "mcp_heard" in step:
            self.step({"say": f"{self.server.told.count(step['mcp_heard'])} times"})
        elif "hold" in step:
            while not self.cancelled.wait(0.01):
                if step["hold"] is not True and Path(step["hold"]).exists():
                    return None
            raise Cancelled
        elif "deaf" in step:
            time.sleep(10_000)
        elif "wait_file" in step:
            while not Path(step["wait_file"]).exists():
                time.sleep(0.01)
        elif "touch" in step:
            Path(step["touch"]).write_text(step.get("text", ""))
        elif "touch_or_say" in step:
            try:
                Path(step["touch_or_say"]).write_text("")
            except OSError:
                self.step({"say": "kept out"})
        elif "both" in step:
            threads = [threading.Thread(target=self.steps, args=(steps,), daemon=True) for steps in step["both"]]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        elif "pieces" in step:
            chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}
            self.flood(chunk, step["pieces"])
        elif "flood" in step:
            self.flood(step["flood"], step["times"])
        elif "ask_model" in step:
            self.ask_model(step)
        elif "take_back" in step:
            while not self.count:
                time.sleep(0.01)
            self.send({"method": "$/cancel_request", "params": {"requestId": 1000 + self.count}})
        elif "spawn" in step:
            subprocess.Popen(step["spawn"], start_new_session=True)
        elif "answers" in step:
            self.more = step["answers"]
        elif "exit" in step:
            sys.stdout.flush()
            os._exit(step["exit"])
        return step.get("end")

    def flood(self, update: dict, times: int) -> None:
        params = {"sessionId": SESSION, "update": update}
        line = json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params})
        for at in range(0, times, 10_000):
            self.line("\n".join(line.replace("#", str(n)) for n in range(at, min(at + 10_000, times))))

    def ask_model(self, step: dict) -> None:
        body = json.dumps(step["ask_model"]).encode()
        base = os.environ[step["base"]] if "base" in step else self.gateway["baseUrl"]
        address = base + step.get("path", "/v1/chat/completions")
        headers = self.gateway.get("headers", {})
        try:
            with urllib.request.urlopen(urllib.request.Request(address, body, headers), timeout=20) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as error:
            text = f"refused: {error.read().decode()}"
        self.step({"say": text})

    def permission(self, step: dict) -> str | None:
        params = {"sessionId": SESSION, "toolCall": step["ask"], "options": step.get("options", ONCE)}
        outcome = self.ask("session/request_permission", params).get("result", {}).get("outcome", {})
        if outcome.get("outcome") == "cancelled" and self.cancelled.is_set():
            raise Cancelled
        chosen = [one for one in params["options"] if one.get("optionId") == outcome.get("optionId")]
        allowed = bool(chosen) and chosen[0]["kind"].startswith("allow")
        return self.steps(step.get("then" if allowed else "else", []))

    def mcp(self, step: dict) -> None:
        with self.starting:
            self.server = self.server or Server(self.servers[0])
        if step.get("tell"):
            self.server.send({"method": step["mcp"], "params": step["params"]})
            return
        answer = self.server.ask(step["mcp"], step.get("params", {}), leave=step.get("leave", False))
        if answer:
            self.step({"say": json.dumps(answer.get("result", answer.get("error")))})

    def call(self, method: str, params: dict) -> str | None:
        answer = self.ask(method, {"sessionId": SESSION, **params})
        self.step({"say": "refused" if "error" in answer else "done"})
        return None

    def take(self, message: dict) -> None:
        method, number = message.get("method"), message.get("id")
        if method is None:
            with self.heard:
                self.answers[message["id"]] = message
                self.heard.notify_all()
        elif method in self.script.get("late", []):
            pass
        elif method == "initialize":
            usual = {"protocolVersion": 1, "agentInfo": {"name": "fake", "version": "1.0"}, "agentCapabilities": {}}
            self.send({"id": number, "result": {**usual, **self.script.get("init", {})}})
        elif method == "authenticate" and "authenticate" in self.script:
            self.gateway = message["params"].get("_meta", {}).get("gateway", {})
            if self.script["authenticate"] != "hold":
                self.send({"id": number, **self.script["authenticate"]})
        elif method == "session/new" and self.script.get("signed_out"):
            self.send({"id": number, "error": {"code": -32000, "message": "Authentication required"}})
        elif method == "session/new":
            self.servers = message["params"]["mcpServers"]
            self.send({"id": number, "result": {"sessionId": SESSION, **self.script.get("new", {})}})
        elif method == "session/resume" and self.script.get("resume"):
            self.send({"id": number, "result": {}})
        elif method == "session/load":
            self.servers = message["params"]["mcpServers"]
            self.load(number)
        elif method == "session/prompt" and self.script.get("busy") and self.playing:
            self.send({"id": number, "error": {"code": -32603, "message": "A prompt runs already."}})
        elif method == "session/prompt":
            self.playing += 1
            prompts = self.script["prompts"] or self.queued()
            self.cancelled.clear()
            steps = prompts.pop(0) if prompts else [{"say": "nothing more"}]
            threading.Thread(target=self.play, args=(number, steps), daemon=True).start()
        elif method == "session/cancel":
            self.cancelled.set()
        elif method == "session/set_mode":
            if self.script.get("confirms"):
                self.update(sessionUpdate="current_mode_update", currentModeId=message["params"]["modeId"])
            self.send({"id": number, "result": {}})
        elif method == "session/set_config_option":
            self.set_option(number, message["params"])
        elif method == "session/set_model" and self.script["new"].get("models"):
            self.send({"id": number, "result": {}})
        elif number is not None:
            self.send({"id": number, "error": {"code": -32601, "message": "unknown"}})

    def queued(self) -> list:
        queue = Path(self.script.get("queue", "/nowhere"))
        if not queue.exists():
            return []
        first, *rest = [*queue.read_text(encoding="utf-8").splitlines(), ""]
        queue.write_text("".join(f"{line}\n" for line in rest if line), encoding="utf-8")
        return [json.loads(first)] if first else []

    def set_option(self, number: object, params: dict) -> None:
        """All but the value "refused", which is an error, and "ignored", which changes nothing."""
        options = self.script["new"]["configOptions"]
        if params["value"] == "refused":
            self.send({"id": number, "error": {"code": -32602, "message": "Not on a Friday."}})
            return
        for one in options:
            if one["id"] == params["configId"] and params["value"] != "ignored":
                one["currentValue"] = params["value"]
        self.send({"id": number, "result": {"configOptions": options}})

    def load(self, number: object) -> None:
        load = self.script.get("load")
        if load is None:
            self.send({"id": number, "error": {"code": -32603, "message": "No previous sessions"}})
            return
        for text in load.get("said", []):
            self.update(sessionUpdate="user_message_chunk", content={"type": "text", "text": text})
            self.update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "replayed"})
        for key in load.get("called", []):
            self.update(sessionUpdate="tool_call", toolCallId=key, title="of another time", status="completed")
        self.send({"id": number, "result": {}})
        for text in load.get("after", []):
            self.update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})

    def run(self) -> None:
        for line in sys.stdin:
            if self.log:
                with Path(self.log).open("a", encoding="utf-8") as log:
                    log.write(line)
            self.take(json.loads(line))
        with self.heard:
            self.over = True
            self.heard.notify_all()


if __name__ == "__main__":
    given = sys.argv[1]
    script = json.loads(given if given.startswith("{") else Path(given).read_text(encoding="utf-8"))
    Agent(script, sys.argv[2] if len(sys.argv) > 2 else "").run()

"""What every message list must be at every event (sessions-SH9), said independently of the code that builds it."""

THINKING = ("thinking", "redacted_thinking")


def faults(messages):
    """Sentences about what is wrong with the list; none if a model service would take it."""
    found = []
    ids = set()
    if messages and messages[0]["role"] != "user":
        found.append("the first message is not the user's")
    for index, message in enumerate(messages):
        role, content = message["role"], message["content"]
        where = f"message {index}"
        if set(message) != {"role", "content"}:
            found.append(f"{where} has other keys")
        if index and messages[index - 1]["role"] == role:
            found.append(f"{where} repeats the role {role}")
        if not content:
            found.append(f"{where} is empty")
        before = messages[index - 1]["content"] if index else []
        asked = [block["id"] for block in before if block["type"] == "tool_use"]
        found += [f"{where}: {fault}" for fault in _vendor_faults(messages, index)]
        answered = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
        if answered != asked or any(block["type"] != "tool_result" for block in content[: len(asked)]):
            found.append(f"{where} answers {answered}, asked was {asked}")
        found += [f"{where}: {fault}" for block in content for fault in _block_faults(block, role, ids)]
        kinds = [block["type"] for block in content]
        if kinds and kinds[-1] in THINKING:
            found.append(f"{where} ends in thinking")
        if any(kind in THINKING for kind in kinds) and kinds[0] not in THINKING:
            found.append(f"{where} has thinking but does not begin with it")
    if messages and any(block["type"] == "tool_use" for block in messages[-1]["content"]):
        found.append("the last message has unanswered calls")
    return found


def request_faults(messages, *, resumes=False):
    """As `faults`, of what was sent: the mark of a cache is on some blocks, and the user speaks last (sessions-SP2),
    unless the service paused in its answer and `resumes` it."""
    plain = [{**message, "content": [_unmarked(block) for block in _whole(message)]} for message in messages]
    found = faults(plain)
    if messages and messages[-1]["role"] != "user" and not resumes:
        found.append("the last message is not the user's")
    return found


def chat_faults(messages):
    """Sentences about what no service of the chat completions protocol takes."""
    found, asked = [], []
    for index, message in enumerate(messages):
        role, where = message.get("role"), f"message {index}"
        if role == "system" and index:
            found.append(f"{where} is the system's, and not the first")
        if role == "tool":
            if message["tool_call_id"] not in asked or not isinstance(message["content"], str):
                found.append(f"{where} answers {message['tool_call_id']}, asked was {asked}")
            asked = [one for one in asked if one != message["tool_call_id"]]
            continue
        if asked:
            found.append(f"{where} comes before the results of {asked}")
        calls = message.get("tool_calls", [])
        asked = [call["id"] for call in calls]
        if role not in ("system", "user", "assistant") or (not message.get("content") and not calls):
            found.append(f"{where} is of nobody or empty")
        found += [f"{where}: the id {one} is too long" for one in asked if not 0 < len(one) <= 40]
        given = [call["function"]["arguments"] for call in calls]
        found += [f"{where}: arguments are no text" for one in given if not isinstance(one, str)]
    if asked:
        found.append("the last message has unanswered calls")
    if messages and messages[-1]["role"] == "assistant":
        found.append("the last message is not the user's")
    return found


def _whole(message):
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _unmarked(block):
    return {key: value for key, value in block.items() if key != "cache_control"}


def _vendor_faults(messages, index):
    """Calls of the service's own tools have their result behind them: in this answer, in the next where calls of ours
    stand between, or not yet."""
    content = messages[index]["content"]
    calls = [block["id"] for block in content if block["type"] == "server_tool_use"]
    results = [block["tool_use_id"] for block in content if block["type"].endswith("_tool_result")]
    if messages[index]["role"] == "user":
        return ["the user did what only the service can"] if calls or results else []
    before = messages[index - 2]["content"] if index > 1 else []
    open_before = {block["id"] for block in before if block["type"] == "server_tool_use"}
    open_before -= {block["tool_use_id"] for block in before if block["type"].endswith("_tool_result")}
    found = [f"the result {one} has no call" for one in results if one not in {*calls, *open_before}]
    found += [f"the call {one} before it has no result" for one in open_before - {*results}]
    waits = index == len(messages) - 1 or any(block["type"] == "tool_use" for block in content)
    return found + [f"the call {one} has no result" for one in calls if one not in results and not waits]


def _block_faults(block, role, ids):
    if any(key.startswith("_") for key in block):
        yield "a key starts with an underscore"
    kind = block["type"]
    if kind == "text":
        keys = {"type", "text", "citations"} if role == "assistant" and block.get("citations") else {"type", "text"}
        if set(block) != keys or not block["text"].strip():
            yield f"bad text block {block}"
    elif kind == "tool_use":
        if role != "assistant" or set(block) != {"type", "id", "name", "input"}:
            yield f"bad call {block}"
        if block["id"] in ids:
            yield f"the id {block['id']} is used twice"
        ids.add(block["id"])
        if not isinstance(block["input"], dict):
            yield "an input is no object"
        elif block["input"] == {"_serializationError": True} or (
            block["input"].get("_truncated") is True
            and set(block["input"]) <= {"_truncated", "_originalSize", "_preview"}
        ):
            yield "an input is a marker"
    elif kind == "tool_result":
        if role != "user" or not set(block) <= {"type", "tool_use_id", "content", "is_error"}:
            yield f"bad result {block}"
        if block.get("is_error") is False:
            yield "is_error is there but false"
        content = block["content"]
        if block.get("is_error") and (not content or (isinstance(content, str) and not content.strip())):
            yield "an error result says nothing"
        if isinstance(content, list):
            if not content:
                yield "a result is an empty list"
            for part in content:
                yield from _block_faults(part, role, ids)
    elif kind == "thinking" and (set(block) != {"type", "thinking", "signature"} or not block["signature"]):
        yield "unsigned thinking"

#!/usr/bin/env python3
"""Counts Codex logs a second time, sharing no code with the adapter: compare with `npx tsx bench/count-logs.ts FOLDER codex`.

count-codex.py FOLDER [OTHER_OUTPUT]   prints one line per file; with the output of count-logs.ts it prints only the differences.

Reads each file whole and looks ahead, where the adapter folds: what was told as item, as event and as `last_agent_message` is told apart
by (turn, text) counted over the whole file, and an event about a call counts only when no item in the file has its id.
"""
import collections
import json
import pathlib
import re
import sys

KEYS = ("prompts", "answers", "said", "calls", "failed", "rejected", "stops")
PROGRAM_TEXT = re.compile(
    r"\s*(<[a-z]\w*[^>]*>|# AGENTS\.md instructions for|Warning: |You are performing a CONTEXT CHECKPOINT|Another language model started|"
    r"(please )?implement the (following )?plan\b)", re.I)
CALLS = ("function_call", "custom_tool_call", "local_shell_call")
FAILED_TEXT = re.compile(r"(failed to parse function arguments|unsupported call|unknown tool|exec_command failed|apply_patch verification failed|error:|command timed out)", re.I)


def read(path):
    records = []
    for line in path.read_bytes().split(b"\n"):
        try:
            value = json.loads(line.decode("utf8", "replace"))
        except ValueError:
            continue
        if isinstance(value, dict):
            records.append(value)
    return records


def flat(value):
    """All text of a string, an item or a list of items."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(flat, value)))
    if isinstance(value, dict):
        return value["text"] if isinstance(value.get("text"), str) else flat(value.get("content"))
    return ""


def is_machine(meta):
    source, thread = meta.get("source"), meta.get("thread_source")
    started = isinstance(source, dict) or source in ("exec", "mcp") or thread not in (None, "user", "cli", "vscode")
    return started or str(meta.get("originator") or "").endswith("_exec")


def typed(text):
    """The words of a person in a prompt: what stands behind the last heading of a request, unless a program wrote it."""
    parts = re.split(r"(?m)^#{1,3}\s*My request(?: for Codex)?:?[ \t]*$", text)
    words = parts[-1].strip()
    return None if words == "" or PROGRAM_TEXT.match(words) else words


def exits_in(value):
    """Every exit code inside a value that was JSON."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("exit_code", "exitCode") and isinstance(inner, int):
                yield inner
            yield from exits_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from exits_in(inner)


def ending(output, told):
    """'failed', 'rejected' or None for the output of a call."""
    text = flat(output)
    head = text[:600]
    try:
        exits = list(exits_in(json.loads(text)))
    except ValueError:
        exits = []
    for name in ("Process exited with code", "Exit code:", "exit_code:", "Command exited with code"):
        for line in head.split("\n"):
            if line.startswith(name):
                exits.append(int(re.search(r"-?\d+", line[len(name):]).group()))
                break
    if text.startswith("Script "):
        if text.startswith("Script failed"):
            return "failed"
        parts = output if isinstance(output, list) else [output]
        for part in parts:
            for found in re.findall(r"exit_?code\W{1,4}(-?\d+)", flat(part), re.I):
                exits.append(int(found))
    if told is not None and not exits:
        exits.append(told)
    if re.search(r"rejected by user|denied by user|approval denied", head[:200], re.I):
        return "rejected"
    if any(code != 0 for code in exits):
        return "failed"
    return "failed" if not exits and (FAILED_TEXT.match(head) or (isinstance(output, dict) and output.get("success") is False)) else None


def count(records):
    total = dict.fromkeys(KEYS, 0)
    meta = next((r["payload"] for r in records if r.get("type") == "session_meta" and isinstance(r.get("payload"), dict)), None)
    if meta is None:
        return count_bare(records, total)
    items = [r["payload"] for r in records if r.get("type") == "response_item" and isinstance(r.get("payload"), dict)]
    ids = {item.get("call_id") or item.get("id") for item in items if item.get("type") in CALLS}
    names = {item.get("call_id"): item.get("name") for item in items if item.get("type") in CALLS}
    told, alone, machine = {}, set(), is_machine(meta)
    said = collections.defaultdict(lambda: [0, 0, 0])
    prompts = collections.defaultdict(lambda: [0, 0])
    stops, turn = collections.defaultdict(lambda: [0, 0]), None
    for record in records:
        payload = record.get("payload")
        if not isinstance(payload, dict):
            continue
        kind, inner = record.get("type"), payload.get("type")
        passed = payload.get("internal_chat_message_metadata_passthrough") or payload.get("metadata") or {}
        turn = (passed.get("turn_id") if isinstance(passed, dict) else None) or payload.get("turn_id") or turn
        if kind == "event_msg" and inner == "item_completed":
            payload = payload.get("item") or {}
            inner = payload.get("type")
        words = flat(payload.get("message") or payload.get("content") or payload.get("text")).strip()
        where = {"exec_command_end": 0, "CommandExecution": 0, "patch_apply_end": 1, "FileChange": 1, "mcp_tool_call_end": 2, "McpToolCall": 2}.get(inner)
        if kind == "event_msg":
            if inner == "user_message" or inner == "UserMessage":
                if typed(words):
                    prompts[turn, typed(words)][inner == "UserMessage"] += 1
            elif inner == "agent_message":
                said[turn, words][1] += 1
            elif inner in ("AgentMessage", "Plan"):
                said[turn, words][2] = 1
            elif inner == "task_complete":
                said[turn, (payload.get("last_agent_message") or "").strip()][2] = 1
            elif inner == "exited_review_mode":
                review = payload.get("review_output") or {}
                found = ["\n".join(filter(None, (one.get("title"), one.get("body")))) for one in review.get("findings") or []]
                said[turn, "\n\n".join(filter(None, [review.get("overall_explanation"), *found])).strip()][2] = 1
            elif inner == "turn_aborted" and payload.get("reason") in (None, "interrupted"):
                stops[turn][1] += 1
            elif where is not None:
                own = payload.get("call_id") or payload.get("id")
                if where == 0 and isinstance(payload.get("exit_code"), int):
                    told[own] = payload["exit_code"]
                has_work = payload.get("command") if where == 0 else payload.get("changes") if where == 1 else True
                if own not in ids and own not in alone and own and has_work:
                    words = payload.get("command") if where == 0 else None
                    last = words[-1] if isinstance(words, list) and words else words
                    script = next((item.get("call_id") for item in items if where == 0 and item.get("name") == "exec" and str(last) in str(item.get("input"))), None)
                    if script:
                        told[script] = told.get(own) or told.get(script)  # told by the script that ran it
                        continue
                    alone.add(own)
                    result = payload.get("result") or {}
                    result = result if isinstance(result, dict) else {}
                    bad = payload.get("exit_code") not in (None, 0) or payload.get("success") is False or payload.get("status") == "failed"
                    total["failed"] += bool(bad or "Err" in result or (result.get("Ok") or result).get("isError"))
            elif inner in ("web_search_end", "WebSearch", "Extension"):
                action = payload.get("action") if isinstance(payload.get("action"), dict) else {}
                if (payload.get("call_id") or payload.get("id")) and any((payload.get("query"), action.get("query"), action.get("url"), action.get("pattern"))):
                    alone.add(payload.get("call_id") or payload.get("id"))
        elif kind == "response_item" and inner == "message" and payload.get("role") == "assistant":
            said[turn, words][0] += 1
        elif kind == "response_item" and inner == "message" and payload.get("role") == "user":
            stops[turn][0] += words.startswith("<turn_aborted>")
        elif kind == "response_item" and inner == "agent_message" and words:
            said[len(said), words][0] += 1  # from agent to agent: never repeated
        elif kind == "response_item" and inner == "web_search_call":
            action = payload.get("action") if isinstance(payload.get("action"), dict) else {}
            if (payload.get("call_id") or payload.get("id")) and (payload.get("query") or action.get("query") or action.get("url") or action.get("pattern")):
                alone.add(payload.get("call_id") or payload.get("id"))
    done = {}
    for item in items:
        if (item.get("type") or "").endswith("_output") and item.get("type") != "tool_search_output":
            done[item.get("call_id") or id(item)] = item
        if names.get(item.get("call_id")) == "request_user_input" and "output" in item:
            try:
                asked = json.loads(flat(item["output"])).get("answers") or {}
                total["answers"] += 0 if machine else sum(len(one.get("answers") or []) for one in asked.values())
            except ValueError:
                pass
    for own, item in done.items():
        end = ending(item.get("output"), told.get(own))
        if end:
            total[end] += 1
    total["prompts"] = 0 if machine else sum(max(pair) for pair in prompts.values())
    total["said"] = sum(max(three) for (_, words), three in said.items() if words)
    total["stops"] = sum(max(pair) for pair in stops.values())
    total["calls"] = len(ids | alone)
    return total


def count_bare(records, total):
    """Before September 2025: items without an envelope."""
    for item in records:
        if item.get("type") == "message" and item.get("role") == "user":
            total["prompts"] += sum(1 for part in item.get("content") or [] if typed(flat(part)))
        elif item.get("type") == "message" and item.get("role") == "assistant":
            total["said"] += bool(flat(item.get("content")).strip())
        elif item.get("type") in CALLS:
            total["calls"] += 1
        elif (item.get("type") or "").endswith("_output"):
            end = ending(item.get("output"), None)
            if end:
                total[end] += 1
    return total


def main():
    folder, other, differ = pathlib.Path(sys.argv[1]), {}, 0
    if len(sys.argv) > 2:
        for line in open(sys.argv[2], encoding="utf8"):
            cells = line.rstrip("\n").split("\t")
            if cells[0].endswith(".jsonl"):
                other[cells[0]] = dict(cell.split("=") for cell in cells[1:] if "=" in cell)
    for path in sorted(folder.rglob("*.jsonl")):
        name, total = path.relative_to(folder).as_posix(), count(read(path))
        if name not in other:
            print(name, *(f"{key}={total[key]}" for key in KEYS), sep="\t")
            continue
        unequal = {key: f"{total[key]} here, {other[name].get(key)} there" for key in KEYS if str(total[key]) != other[name].get(key)}
        differ += bool(unequal)
        if unequal:
            print(name, unequal)
    if other:
        print(f"{len(other)} files, {differ} differ")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Counts Claude Code logs a second time, sharing no code with the adapter: compare with `npx tsx bench/count-logs.ts FOLDER`.

count-logs.py FOLDER [OTHER_OUTPUT]   prints one line per file; with the output of count-logs.ts it prints only the differences.

Reads each file whole and looks ahead, where the adapter folds: a queued prompt is counted when no other record repeats it.
"""
import json
import pathlib
import re
import sys

KEYS = ("prompts", "reasons", "answers", "shell", "calls", "failed", "rejected", "interrupted")
MACHINE_TEXT = re.compile(
    r"\s*(\[Request interrupted by user|This session is being continued from a previous|Implement the following plan:|Caveat: The messages below"
    r"|Base directory for this skill:|Operation stopped by hook:|Stop hook feedback:|\[Image: source)"
)
WRAPPED = re.compile(
    r"<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics|local-command-caveat|local-command-stdout|local-command-stderr|task-notification"
    r"|command-name|command-message|command-args|command-contents|bash-input|bash-stdout|bash-stderr|user-prompt-submit-hook)(?: [^>]*)?>.*?</\1>",
    re.S,
)
SETTINGS = {"model", "effort", "plugin", "exit", "clear", "config", "resume", "rename", "mcp", "ide", "init-config", "login", "reload-plugins"}
REFUSED = re.compile(r"(Error: )?(The user doesn't want to (proceed|take)|Permission to use |Claude requested permission|[\w:]+ hook error:)")


def read(path):
    """Records of a file; glued lines are decoded one object after the other."""
    decoder = json.JSONDecoder()
    records = []
    for line in path.read_bytes().split(b"\n"):
        text, at, found = line.decode("utf8", "replace").strip(), 0, []
        try:
            while at < len(text):
                value, at = decoder.raw_decode(text, at)
                found.append(value)
                while at < len(text) and text[at].isspace():
                    at += 1
        except ValueError:
            continue
        records += [value for value in found if isinstance(value, dict)]
    return records


def blocks(record):
    content = (record.get("message") or {}).get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content or [] if isinstance(block, dict)]


def flat(content):
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text") or "" for part in content or [] if isinstance(part, dict))


def is_program(record):
    """A program filled the user's channel: its own marks say so, or an sdk entry point without a typed prompt."""
    kind = (record.get("origin") or {}).get("kind") if isinstance(record.get("origin"), dict) else None
    if kind not in (None, "human"):
        return True
    if record.get("promptSource") == "typed":
        return False
    return str(record.get("entrypoint") or "").startswith("sdk") or (kind is None and record.get("promptSource") in ("sdk", "system"))


def typed_text(record, text):
    """What a person typed in one text of the user's channel, or None."""
    if record.get("isSidechain") or record.get("isMeta") or record.get("isCompactSummary") or record.get("sourceToolUseID") or "planContent" in record:
        return None
    if is_program(record) or MACHINE_TEXT.match(text):
        return None
    name, words = re.search(r"<command-name>/?(.*?)</command-name>", text, re.S), re.search(r"<command-args>(.*?)</command-args>", text, re.S)
    if name:
        typed = words.group(1).strip() if words else ""
        return None if typed == "" or name.group(1).strip() in SETTINGS else typed
    return WRAPPED.sub("", text).strip() or None


def count(records):
    total = dict.fromkeys(KEYS, 0)
    asked, seen_calls, seen_results, prompts, queued, seen = {}, set(), set(), [], [], set()
    for record in records:
        uuid = record.get("uuid")
        if uuid is not None and uuid in seen:
            continue
        seen.add(uuid)
        kind = record.get("type")
        if kind == "queue-operation" and record.get("operation") == "enqueue" and isinstance(record.get("content"), str):
            queued.append(record["content"].strip())
        elif kind == "attachment" and (record.get("attachment") or {}).get("type") == "queued_command":
            attached = record["attachment"]
            text = flat(attached.get("prompt")).strip()
            if attached.get("commandMode") == "prompt" and (attached.get("origin") or {}).get("kind") in (None, "human") and not attached.get("isMeta"):
                queued.append(text)
        elif kind == "assistant":
            for block in blocks(record):
                if block.get("type") in ("tool_use", "server_tool_use", "mcp_tool_use"):
                    asked[block.get("id")] = block.get("name") or ""
                    seen_calls.add((uuid, block.get("id")))
        elif kind == "user":
            for block in blocks(record):
                if block.get("type") == "tool_result":
                    end(total, record, block, asked.get(block.get("tool_use_id"), ""))
                elif block.get("type") == "text" and (block.get("text") or "").strip():
                    if not record.get("isMeta") and "<bash-input>" in block["text"]:
                        total["shell"] += 1
                    typed = typed_text(record, block["text"])
                    if typed:
                        prompts.append(typed)
    shown = {text for text in queued if text and not text.startswith("<") and not text.startswith("/")}
    machine = any(is_program(r) for r in records if r.get("type") == "user") and not any(r.get("promptSource") == "typed" for r in records)
    total["prompts"] = len(prompts) + (0 if machine else len(shown - set(prompts)))
    total["calls"] = len(seen_calls)
    return total


def end(total, record, block, tool):
    """How a tool result ended, and what the person said with it."""
    text, rich = flat(block.get("content")), record.get("toolUseResult")
    details = rich if isinstance(rich, dict) else {}
    error = bool(block.get("is_error") or details.get("is_error"))
    if record.get("toolDenialKind") or (error and (REFUSED.match(text) or rich == "User rejected tool use")):
        total["rejected"] += 1
        said = text.partition("the user said:")[2].partition("\n\nNote: The user's next message")[0].strip()
        total["reasons"] += bool(said and not record.get("isSidechain") and not tool.startswith("mcp__"))
    elif details.get("interrupted") or (error and text.lstrip().startswith("[Request interrupted by user")):
        total["interrupted"] += 1
    elif error and "Sibling tool call errored" not in text[:60]:
        total["failed"] += 1
    elif details.get("exitCode") not in (None, 0) or (details.get("task") or {}).get("exitCode") not in (None, 0):
        total["failed"] += 1
    if tool == "AskUserQuestion" and isinstance(details.get("answers"), dict) and not error:
        total["answers"] += len(details["answers"]) + sum(1 for note in (details.get("annotations") or {}).values() if note.get("notes"))


def main():
    folder = pathlib.Path(sys.argv[1])
    other = {}
    if len(sys.argv) > 2:
        for line in open(sys.argv[2], encoding="utf8"):
            cells = line.rstrip("\n").split("\t")
            if cells[0].endswith(".jsonl"):
                other[cells[0]] = dict(cell.split("=") for cell in cells[1:] if "=" in cell)
    differ = 0
    for path in sorted(folder.rglob("*.jsonl")):
        name = path.relative_to(folder).as_posix()
        total = count(read(path))
        if name in other:
            unequal = {key: f"{total[key]} here, {other[name].get(key)} there" for key in KEYS if str(total[key]) != other[name].get(key)}
            differ += bool(unequal)
            if unequal:
                print(name, unequal)
        else:
            print(name, *(f"{key}={total[key]}" for key in KEYS), sep="\t")
    if other:
        print(f"{len(other)} files, {differ} differ")


if __name__ == "__main__":
    main()

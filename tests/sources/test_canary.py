"""What agentmem puts into a session comes back in its transcript, and must not be read as news.

The shapes in which it comes back: as context of a hook in the agent's own form; with its angle brackets escaped; in
front of a prompt; in what a tool of agentmem answered; in a file that a tool printed; in a summary that quotes it.
"""

import json

import pytest

from agentmem.domain.messages import Role

CANARY = "canary-7f3a: the staging password lives in the vault"
BLOCK = f'<agentmem-memory version="1">\n- {CANARY}\n</agentmem-memory>'
ESCAPED = BLOCK.replace("<", "&lt;").replace(">", "&gt;")
IN_JSON = json.dumps(BLOCK).replace("<", "\\u003c").replace(">", "\\u003e")
SHAPES = [BLOCK, ESCAPED, IN_JSON, f"<system-reminder>\n{BLOCK}\n</system-reminder>", f"{BLOCK}\n\n{ESCAPED}"]
HOOK = f"<hook_context>{ESCAPED}</hook_context>"
PROMPT, ANSWER = "We deploy with make ship.", "Understood, make ship."
AT = "2026-10-03T08:00:00Z"


def lines(*entries):
    return b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)


def claude(shape):
    def line(kind, uuid, **fields):
        return {"type": kind, "uuid": uuid, "sessionId": "s", "timestamp": AT, **fields}

    def user(uuid, content, **fields):
        return line("user", uuid, message={"role": "user", "content": content}, **fields)

    return lines(
        line("attachment", "1", attachment={"type": "hook_additional_context", "content": [shape], "hookName": "SessionStart"}),
        line("attachment", "2", attachment={"type": "hook_success", "stdout": shape}),
        line("progress", "3", data={"type": "hook_progress", "output": shape}),
        user("4", f"{shape}\n{PROMPT}"),
        line("assistant", "5", message={"role": "assistant", "content": [
            {"type": "text", "text": f"{ANSWER} {shape}"},
            {"type": "tool_use", "id": "t1", "name": "mcp__agentmem__recall", "input": {"query": CANARY}},
            {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": f"cat AGENTS.md # {shape}"}},
        ]}),
        user("6", [{"type": "tool_result", "tool_use_id": "t1", "content": CANARY}], toolUseResult=CANARY),
        user("7", [{"type": "tool_result", "tool_use_id": "t2", "content": f"# House rules\n{shape}"}], toolUseResult=shape),
        user("8", f"This session is being continued from a previous conversation.\n{shape}", isCompactSummary=True),
    )  # fmt: skip


def codex(shape, *, native=True):
    def item(**payload):
        return {"timestamp": AT, "type": "response_item", "payload": payload}

    def said(role, text, kind):
        about = {"internal_chat_message_metadata_passthrough": {"content_item_kinds": [kind]}} if native else {}
        return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}], **about}

    return lines(
        {"timestamp": AT, "type": "session_meta", "payload": {"id": "s", "cwd": "/p"}},
        item(**said("developer", shape, "hooks.additional_context")),
        item(**said("developer", CANARY, "hooks.additional_context")),
        item(**said("user", f"# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\n{shape}\n</INSTRUCTIONS>", "agents_md")),
        item(**said("user", f"{shape}\n{PROMPT}", "user.text")),
        {"timestamp": AT, "type": "event_msg", "payload": {"type": "user_message", "message": f"{shape}\n{PROMPT}"}},
        item(type="function_call", name="agentmem__recall", arguments=json.dumps({"query": CANARY}), call_id="t1"),
        item(type="function_call_output", call_id="t1", output=CANARY),
        item(type="function_call", name="shell", arguments=json.dumps({"command": ["cat", shape]}), call_id="t2"),
        item(type="function_call_output", call_id="t2", output=f"# House rules\n{shape}"),
        item(**said("assistant", f"{ANSWER} {shape}", "unknown")),
        {"timestamp": AT, "type": "event_msg", "payload": {"type": "agent_message", "message": f"{ANSWER} {shape}"}},
        {"timestamp": AT, "type": "compacted", "payload": {
            "message": f"Summary. {shape}",
            "replacement_history": [said("developer", CANARY, "hooks.additional_context"), said("user", shape, "user.text")],
        }},
    )  # fmt: skip


def gemini(shape):
    def entry(identity, kind, content, **more):
        return {"id": identity, "timestamp": AT, "type": kind, "content": content, **more}

    prompt = entry("u1", "user", [{"text": f"{HOOK}\n\n{shape}{PROMPT}"}, {"text": HOOK}],
                   displayContent=[{"text": f"{HOOK}\n\n{shape}{PROMPT}"}])  # fmt: skip
    own = {"functionResponse": {"id": "t1", "name": "recall", "response": {"output": CANARY}}}
    printed = {"functionResponse": {"id": "t2", "name": "read_file", "response": {"output": f"# House rules\n{shape}"}}}
    return lines(
        {"sessionId": "s", "projectHash": "h", "kind": "main"},
        entry("c", "user", HOOK),
        prompt,
        entry("a1", "gemini", f"{ANSWER} {shape}", toolCalls=[
            {"id": "t1", "name": "recall", "displayName": "recall (agentmem MCP Server)", "args": {}, "result": [own]},
            {"id": "t2", "name": "read_file", "args": {"file_path": shape}, "result": [printed]},
        ]),
        entry("u2", "user", [own, printed]),
        {"$set": {"messages": [prompt, entry("s1", "user", f"<state_snapshot>{shape}</state_snapshot>")]}},
    )  # fmt: skip


def opencode(shape):
    def part(number, **fields):
        return {"id": f"prt_{number}", **fields}

    def tool(number, name, given, output):
        return part(number, type="tool", tool=name, callID=f"t{number}", state={"input": given, "output": output})

    return json.dumps(
        {
            "info": {"id": "ses_1", "directory": "/p"},
            "messages": [
                {"info": {"role": "user", "time": {"created": 1790000000000}}, "parts": [
                    part(1, type="text", text=CANARY, synthetic=True),
                    part(2, type="text", text=f"{shape}\n{PROMPT}"),
                ]},
                {"info": {"role": "assistant"}, "parts": [
                    part(3, type="text", text=f"{ANSWER} {shape}"),
                    tool(4, "agentmem_recall", {"query": CANARY}, CANARY),
                    tool(5, "read", {"filePath": shape}, f"# House rules\n{shape}"),
                ]},
                {"info": {"role": "assistant", "summary": True}, "parts": [part(6, type="text", text=f"Summary. {shape}")]},
            ],
        }
    ).encode()  # fmt: skip


def cursor(shape):
    def line(role, *blocks):
        return {
            "role": role,
            "message": {"content": [{"type": "text", "text": one} if isinstance(one, str) else one for one in blocks]},
        }

    return lines(
        line("user", f"<user_info>\n{CANARY}\n</user_info>", f"<user_query>\n{shape}\n{PROMPT}\n</user_query>"),
        line("assistant", f"{ANSWER} {shape}",
             {"type": "tool_use", "name": "CallMcpTool", "input": {"server": "agentmem", "arguments": {"query": CANARY}}},
             {"type": "tool_use", "name": "Shell", "input": {"command": f"cat AGENTS.md # {shape}"}}),
    )  # fmt: skip


def copilot(shape):
    def event(kind, **data):
        return {"type": kind, "data": data, "id": kind, "timestamp": AT}

    return lines(
        event("session.start", sessionId="s"),
        event("hook.end", output=CANARY),
        event("user.message", content=f"{shape}\n{PROMPT}", transformedContent=CANARY),
        event("assistant.message", content=f"{ANSWER} {shape}", toolRequests=[
            {"toolCallId": "t1", "name": "agentmem-recall", "arguments": {"query": CANARY}},
            {"toolCallId": "t2", "name": "bash", "arguments": {"command": f"cat # {shape}"}}]),
        event("tool.execution_complete", toolCallId="t1", result={"content": CANARY}),
        event("tool.execution_complete", toolCallId="t2", result={"content": f"# House rules\n{shape}"}),
        event("session.compaction_complete", summaryContent=f"Summary. {shape}"),
    )  # fmt: skip


def pi(shape):
    def entry(kind, **fields):
        return {"type": kind, "id": "m", "parentId": None, "timestamp": AT, **fields}

    def message(role, content, **fields):
        return entry("message", message={"role": role, "content": content, **fields})

    return lines(
        {"type": "session", "version": 3, "id": "s", "cwd": "/p"},
        entry("custom_message", content=CANARY),
        message("custom", CANARY),
        message("user", f"{shape}\n{PROMPT}"),
        message("assistant", [
            {"type": "text", "text": f"{ANSWER} {shape}"},
            {"type": "toolCall", "id": "t1", "name": "agentmem_recall", "arguments": {"query": CANARY}},
            {"type": "toolCall", "id": "t2", "name": "bash", "arguments": {"command": f"cat # {shape}"}}]),
        message("toolResult", [{"type": "text", "text": CANARY}], toolCallId="t1", toolName="agentmem_recall"),
        message("toolResult", [{"type": "text", "text": f"# House rules\n{shape}"}], toolCallId="t2", toolName="bash"),
        entry("compaction", summary=f"Summary. {shape}"),
    )  # fmt: skip


def qwen(shape):
    def line(kind, *parts, role="user"):
        return {
            "uuid": "u",
            "sessionId": "s",
            "timestamp": AT,
            "type": kind,
            "message": {"role": role, "parts": list(parts)},
        }

    return lines(
        line("user", {"text": HOOK}, {"text": f"{shape}\n{PROMPT}"}),
        line("assistant", {"text": f"{ANSWER} {shape}"},
             {"functionCall": {"id": "t1", "name": "mcp__agentmem__recall", "args": {"query": CANARY}}},
             {"functionCall": {"id": "t2", "name": "read_file", "args": {"absolute_path": shape}}}, role="model"),
        line("tool_result", {"functionResponse": {"id": "t1", "name": "recall", "response": {"output": CANARY}}}),
        line("tool_result", {"functionResponse": {"id": "t2", "response": {"output": f"# House rules\n{shape}"}}}),
        {"sessionId": "s", "type": "system", "subtype": "chat_compression",
         "systemPayload": {"compressedHistory": [{"parts": [{"text": f"<state_snapshot>{shape}</state_snapshot>"}]}]}},
    )  # fmt: skip


def cline(shape):
    def say(kind, text, how="say"):
        return {"ts": 1790000000000, "type": how, how: kind, "text": text}

    return json.dumps([
        say("task", f"{shape}\n{PROMPT}"),
        say("api_req_started", json.dumps({"request": CANARY})),
        say("hook_output_stream", CANARY),
        say("use_mcp_server", json.dumps({"serverName": "agentmem", "toolName": "recall", "arguments": CANARY}), "ask"),
        say("mcp_server_response", CANARY),
        say("command", f"cat AGENTS.md # {shape}", "ask"),
        say("command_output", f"# House rules\n{shape}"),
        say("completion_result", f"{ANSWER} {shape}"),
    ]).encode()  # fmt: skip


def cline_model(shape):
    def message(role, *texts):
        return {"role": role, "content": [{"type": "text", "text": text} for text in texts]}

    return json.dumps([
        message("user", f"<task>\n{shape}\n{PROMPT}\n</task>", f"<hook_context>{CANARY}</hook_context>",
                f"<environment_details>\n{CANARY}\n</environment_details>"),
        message("assistant", "<use_mcp_tool><server_name>agentmem</server_name><arguments>{}</arguments></use_mcp_tool>"),
        message("user", "[use_mcp_tool for 'agentmem'] Result:", CANARY),
        message("assistant", f"<read_file><path>AGENTS.md {shape}</path></read_file>"),
        message("user", "[read_file for 'AGENTS.md'] Result:", f"# House rules\n{shape}"),
        message("assistant", f"{ANSWER} {shape}"),
    ]).encode()  # fmt: skip


def aider(shape):
    prompt = "".join(f"#### {line}  \n" for line in f"{shape}\n{PROMPT}".splitlines())
    return f"# aider chat started at 2026-06-09 14:01:00\n\n{prompt}\n{ANSWER}\n{shape}\n".encode()


def codex_without_provenance(shape):
    return codex(shape, native=False)


@pytest.mark.parametrize("shape", SHAPES, ids=["plain", "escaped", "in JSON", "in a reminder", "twice"])
@pytest.mark.parametrize(
    "transcript",
    [claude, codex, codex_without_provenance, gemini, opencode, cursor, copilot, pi, qwen, cline, cline_model, aider],
    ids=lambda made: made.__name__,
)
def test_what_was_injected_is_never_handed_on(reading, transcript, shape):
    messages, tally = reading(transcript(shape))
    everything = "\n".join(message.content for message in messages)
    assert "canary" not in everything
    assert "agentmem-memory" not in everything
    assert "system-reminder" not in everything
    said = [message.content.strip('"\n ') for message in messages if message.role is Role.USER]
    assert said == [PROMPT]
    assert any(ANSWER in message.content for message in messages if message.role is Role.ASSISTANT)
    if "House rules" in transcript(shape).decode():
        assert "# House rules" in everything
    assert not tally.unknown


@pytest.mark.parametrize(
    "own", ["agentmem recall x", "uvx agentmem --profile work recall x", "cd /p && agentmem -v context"]
)
def test_the_program_s_own_commands_are_dropped_with_their_output(reading, own):
    data = lines(
        {"type": "session", "version": 3, "id": "s", "cwd": "/p"},
        {"type": "message", "id": "1", "parentId": None, "message": {"role": "assistant", "content": [
            {"type": "toolCall", "id": "t", "name": "bash", "arguments": {"command": own}}]}},
        {"type": "message", "id": "2", "parentId": "1", "message": {"role": "toolResult", "toolCallId": "t", "content": CANARY}},
        {"type": "message", "id": "3", "parentId": "2", "message": {"role": "user", "content": PROMPT}},
    )  # fmt: skip
    assert [message.content for message in reading(data)[0]] == [PROMPT]

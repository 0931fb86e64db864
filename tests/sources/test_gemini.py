import json

from agentmem.domain.messages import MessageKind, Role


def lines(*entries):
    return b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)


META = {"sessionId": "s", "projectHash": "h", "kind": "main"}


def entry(identity, kind, content, **more):
    return {"id": identity, "timestamp": "2026-10-03T08:00:00Z", "type": kind, "content": content, **more}


def test_jsonl(reading):
    messages, tally = reading("gemini.jsonl")
    assert {message.session_id for message in messages} == {"aaaa1111-2222-4000-8000-00000000000c"}
    assert [(m.role, m.kind, m.content, m.source_id) for m in messages] == [
        (Role.USER, MessageKind.TEXT, "Deploy with make ship.", "u1"),
        (Role.TOOL, MessageKind.TOOL_CALL, "run_shell_command: make ship", "a1"),
        (Role.TOOL, MessageKind.TOOL_RESULT, "Output: shipped", "a1#2"),
        (Role.ASSISTANT, MessageKind.TEXT, "Shipped. 完了", "a2"),
        (Role.SYSTEM, MessageKind.SUMMARY, "The person deploys with make.", "s1"),
        (Role.USER, MessageKind.TEXT, "Explain @a.py", "u3"),
    ]
    assert {message.cwd for message in messages} == {"/home/ada/shop"}
    # A checkpoint repeats words under the time of the checkpoint; they keep their own.
    assert messages[3].at.second == 4
    assert tally.unknown == {"new_of_2027": 1}
    assert tally.messages == len(messages)


def test_legacy_document(reading):
    messages, tally = reading("gemini-legacy.json")
    assert [m.content for m in messages] == ["Write tests first.", "I will.", "write_file: t.py", "Wrote t.py"]
    assert {message.session_id for message in messages} == {"bbbb1111-2222-4000-8000-00000000000d"}
    assert tally.consumed == 0


def test_a_document_on_one_line(reading, data):
    one_line = json.dumps(json.loads((data / "gemini-legacy.json").read_text())).encode()
    messages, tally = reading(one_line)
    assert len(messages) == 4
    assert tally.consumed == 0


def test_a_checkpoint_takes_nothing_away(reading):
    messages, _ = reading(
        lines(
            META,
            entry("u1", "user", [{"text": "first"}]),
            {"$set": {"messages": [entry("u2", "user", [{"text": "second"}])]}},
            {"$rewindTo": "u1"},
            entry("u3", "user", [{"text": "third"}]),
        )
    )
    assert [m.content for m in messages] == ["first", "second", "third"]


def test_the_newest_state_counts_but_nothing_is_emptied(reading):
    messages, _ = reading(
        lines(META, entry("a", "gemini", "half"), entry("a", "gemini", "half an answer"), entry("a", "gemini", ""))
    )
    assert [m.content for m in messages] == ["half an answer"]


def test_a_state_that_comes_late_adds_what_is_new(reading):
    many = [entry(f"m{number}", "gemini", f"answer {number}") for number in range(60)]
    late = entry("m0", "gemini", "answer 0", toolCalls=[{"id": "c", "name": "edit", "args": {"file_path": "a.py"}}])
    messages, _ = reading(lines(META, *many, late))
    assert [m.content for m in messages] == [*(f"answer {number}" for number in range(60)), "edit: a.py"]


def test_sub_agents_are_left_out(reading):
    messages, tally = reading(lines({**META, "kind": "subagent"}, entry("u", "user", "a task")))
    assert messages == []
    assert tally.consumed == 0


def test_a_path_is_no_command(reading):
    messages, _ = reading(
        lines(META, *(entry(text, "user", text) for text in ("/etc/hosts is wrong", "/chat save", "?", "?help")))
    )
    assert [m.content for m in messages] == ["/etc/hosts is wrong"]


def test_a_hook_s_context_is_taken_out_wherever_it_stands(reading):
    context = "<hook_context>&lt;x&gt;NEWS&lt;/x&gt;</hook_context>"
    messages, _ = reading(
        lines(
            META,
            entry("1", "user", f"{context}\n\nfront"),
            entry("2", "user", f"middle {context}end"),
            entry("3", "user", context),
            entry("4", "user", "<hook_context>NEWS cut off"),
        )
    )
    assert [m.content for m in messages] == ["front", "middle end"]

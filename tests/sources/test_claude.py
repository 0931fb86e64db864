import json

from agentmem.domain.messages import MessageKind, Role, Trust
from agentmem.sources.formats import detect

SESSION = "0b7e5c1a-2222-4000-8000-00000000000a"


def user(content, **fields):
    return {"type": "user", "sessionId": "s", "uuid": "u", "message": {"role": "user", "content": content}, **fields}


def lines(*entries):
    return b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)


def queue(operation, content=None):
    return {"type": "queue-operation", "operation": operation, "sessionId": "s", "content": content}


def test_session_file(reading):
    messages, tally = reading("claude-session.jsonl")
    assert {message.session_id for message in messages} == {SESSION}
    assert [m.content for m in messages if m.role is Role.USER and m.trust is Trust.HIGH] == [
        "Use uv, not pip. テストは pytest で。",
        "staging, never on Fridays",
        "Rename this variable.",
        "also bump the version",
        "make it look like this",
        "Merci.",
    ]
    assert [(m.kind, m.content) for m in messages if m.role is Role.TOOL] == [
        (MessageKind.TOOL_CALL, "Bash: uv sync --all-extras"),
        (MessageKind.TOOL_RESULT, "Resolved 12 packages"),
        (MessageKind.TOOL_CALL, "Bash: rm -rf build"),
    ]
    assert all(message.trust is Trust.LOW for message in messages if message.role is Role.TOOL)
    assert tally.messages == len(messages)
    assert tally.unknown == {"some-future-type": 1}
    assert not tally.skipped
    assert tally.ignored["sidechain"] == 1
    assert tally.ignored["agentmem's own"] == 2
    everything = " ".join(message.content for message in messages)
    for absent in ("SECRET THOUGHT", "agentmem", "API Error", "QUJD", "reminder", "3 passed", "Find all tests", "opus"):
        assert absent not in everything


def test_what_a_message_knows(reading):
    messages, _ = reading("claude-session.jsonl")
    first = messages[0]
    assert (first.source_id, first.cwd, first.branch, first.agent) == ("u02", "/home/ada/shop", "main", "claude")
    assert first.at is not None
    assert first.at.isoformat() == "2026-04-10T09:00:02+00:00"
    said, called = messages[1:3]
    assert (said.source_id, called.source_id) == ("u04", "u04#2")
    queued = next(message for message in messages if message.content == "also bump the version")
    assert queued.source_id == "u13"


def test_a_refusal_s_reason_is_a_person_s_with_medium_trust(reading):
    messages, _ = reading("claude-session.jsonl")
    reason = next(message for message in messages if message.content.startswith("never delete"))
    assert (reason.role, reason.trust) == (Role.USER, Trust.MEDIUM)


def test_compaction_summary(reading):
    summary = next(m for m in reading("claude-session.jsonl")[0] if m.kind is MessageKind.SUMMARY)
    assert (summary.role, summary.trust) == (Role.SYSTEM, Trust.MEDIUM)


def test_web_session(reading):
    messages, tally = reading("claude-web.json")
    assert [(m.role, m.content) for m in messages] == [
        (Role.USER, "Write an add function"),
        (Role.ASSISTANT, "Done."),
        (Role.TOOL, "Write: /p/add.py"),
        (Role.TOOL, "File written"),
        (Role.SYSTEM, "A continuation summary."),
    ]
    assert {message.session_id for message in messages} == {"claude-web"}
    assert tally.consumed == 0


def test_provenance_goes_before_patterns(reading):
    data = lines(
        user("told by a peer", origin={"kind": "peer"}),
        user("expanded", isMeta=True),
        user("by the system", promptSource="system"),
        user("seen only", isVisibleInTranscriptOnly=True),
        user([{"type": "text", "text": "beside a result"}], toolUseResult="Error"),
        user("unclassified words", origin={"kind": "unclassified"}),
        user("human words", origin={"kind": "human"}),
    )
    messages, tally = reading(data)
    assert [message.content for message in messages] == ["unclassified words", "human words"]
    assert tally.ignored["origin peer"] == 1


def test_sub_agents_are_left_out(reading):
    messages, tally = reading(lines(user("Find tests", isSidechain=True), user("x", agentId="a1")))
    assert messages == []
    assert tally.ignored == {"sidechain": 2}


def test_old_queue_without_a_second_writing(reading):
    data = lines(user("start"), queue("enqueue", "rebase first"), queue("remove"), *[user(f"n{i}") for i in range(25)])
    contents = [message.content for message in reading(data)[0]]
    assert contents.count("rebase first") == 1
    assert contents.index("rebase first") < len(contents) - 1


def test_queue_that_is_sent_or_taken_back_is_not_doubled(reading):
    data = lines(
        queue("enqueue", "one"), queue("dequeue"), user("one"),
        queue("enqueue", [{"type": "text", "text": "two"}]), queue("popAll"),
        queue("enqueue", "/model opus"), queue("remove", "/model opus"),
        queue("enqueue", "still waiting"),
        user("start"),
    )  # fmt: skip
    assert [message.content for message in reading(data)[0]] == ["one", "start"]


def test_results_are_cut_and_reminders_inside_them_stripped(reading):
    result = {"type": "tool_result", "tool_use_id": "1", "content": "<system-reminder>r</system-reminder>" + "x" * 9000}
    messages, _ = reading(lines(user([result])))
    assert messages[0].content == "x" * 399 + "…"


def test_session_id_of_lines_without_one(reading):
    entry = {"type": "user", "message": {"role": "user", "content": "hi"}}
    assert reading(lines(entry), name="stem")[0][0].session_id == "stem"
    assert reading(lines(entry), name="stem", session_id="given")[0][0].session_id == "given"
    assert reading(lines({**entry, "sessionId": "own"}), session_id="given")[0][0].session_id == "own"


def test_fields_of_any_type_are_borne(reading):
    odd = [None, "x", 7, [], {}, [None, "y", 1, {"type": 5}], {"type": "text"}, True]
    entries = [{"type": kind, "message": value, "attachment": value, "uuid": value, "sessionId": value, "timestamp": value,
                "origin": value, "content": value, "operation": "enqueue"}
               for kind in ("user", "assistant", "attachment", "system", "queue-operation", None, 3) for value in odd]  # fmt: skip
    entries += [user(value, cwd=value, agentId=value, isSidechain=value) for value in odd]
    messages, _ = reading(lines(*entries), format="claude")
    assert all(isinstance(message.content, str) for message in messages)


def test_detected_whatever_comes_first():
    first = user("hi")
    snapshot = {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}
    assert detect(lines(snapshot)) == "claude"
    assert detect(lines({"type": "summary", "summary": "t", "leafUuid": "l"}, first)) == "claude"
    assert detect(b"\xef\xbb\xbf" + b"\x00" * 5 + lines(first)) == "claude"
    assert detect(b"garbage\n[]\n42\n" + lines(first)) == "claude"
    assert detect(lines(first)[:-30]) == "claude"
    assert detect(lines(user("x" * 100_000))[:65536]) == "claude"

import json

import pytest

from agentmem.domain.messages import MessageKind, Role, Trust
from agentmem.errors import BadInput
from agentmem.sources.formats import detect, read

PARENT = "0199aaaa-5555-7000-8000-00000000000a"
OWN = "0199bbbb-5555-7000-8000-00000000000b"


def line(kind, at="2026-02-01T10:00:00.000Z", **payload):
    return {"timestamp": at, "type": kind, "payload": payload}


def said(role, text, at="2026-02-01T10:00:00.000Z", **more):
    kind = "output_text" if role == "assistant" else "input_text"
    return line("response_item", at, type="message", role=role, content=[{"type": kind, "text": text}], **more)


def lines(*entries):
    return b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)


def words(messages, role=Role.USER):
    return [message.content for message in messages if message.role is role]


def test_paginated(reading):
    messages, tally = reading("codex-paginated.jsonl")
    assert {message.session_id for message in messages} == {"01a0c000-1111-7000-8000-00000000000a"}
    assert [(m.role, m.kind, m.content, m.source_id) for m in messages] == [
        (Role.USER, MessageKind.TEXT, "Use uv, not pip. ありがとう", "7"),
        (Role.TOOL, MessageKind.TOOL_CALL, "exec_command: uv sync --all-extras", "10"),
        (Role.TOOL, MessageKind.TOOL_RESULT, "exit 2: no such extra", "11"),
        (Role.TOOL, MessageKind.TOOL_CALL, "apply_patch: update a.py, add b.py", "12"),
        (Role.TOOL, MessageKind.TOOL_RESULT, "Success. Updated the following files:\nM a.py", "13"),
        (Role.ASSISTANT, MessageKind.TEXT, "Done. It uses uv now.", "17"),
        (Role.SYSTEM, MessageKind.SUMMARY, "The person wants uv.", "18"),
        (Role.USER, MessageKind.TEXT, "And run ruff.", "20"),
    ]
    first = messages[0]
    assert (first.trust, first.cwd, first.branch, first.agent) == (Trust.HIGH, "/home/ada/shop", "main", "codex")
    assert first.at.isoformat() == "2026-10-02T08:00:01+00:00"
    assert tally.unknown == {"response_item new_item_of_2027": 1, "new_line_of_2027": 1}
    assert tally.ignored["agentmem's own"] == 2
    assert tally.messages == len(messages)


def test_legacy_tells_what_is_stored_twice_once(reading):
    messages, _ = reading("codex-legacy.jsonl")
    assert words(messages) == ["Prefer sqlite for tests.", "Yes."]
    assert words(messages, Role.ASSISTANT) == ["Tests use sqlite.", "Good."]
    assert all(message.source_id for message in messages)


def test_a_fork_tells_only_what_is_new(reading):
    messages, tally = reading("codex-fork.jsonl")
    # The prompt stands 62 ms behind the copies; it has no answer in the same go, so it is not taken for one.
    assert words(messages) == ["And use ruff format."]
    assert words(messages, Role.ASSISTANT) == ["ruff format it is."]
    assert {message.session_id for message in messages} == {OWN}
    assert tally.ignored["copied from the session that this one was forked from"] == 6
    assert tally.consumed == 0
    assert tally.messages == len(messages)


def test_turns_older_than_the_session_are_copies_however_slowly_they_were_written(reading):
    messages, _ = reading(
        lines(
            line("session_meta", id=OWN),
            line("session_meta", "2026-02-01T10:00:01Z", id=PARENT),
            line(
                "event_msg", "2026-02-01T10:00:02Z", type="task_started", turn_id="0199aaaa-7777-7000-8000-0000000000aa"
            ),
            said("user", "old words", "2026-02-01T10:00:09Z"),
            line(
                "event_msg", "2026-02-01T10:00:10Z", type="task_started", turn_id="0199bbbb-7777-7000-8000-0000000000bb"
            ),
            said("user", "new words", "2026-02-01T10:00:10Z"),
            said("assistant", "new answer", "2026-02-01T10:00:10Z"),
        )
    )
    assert [message.content for message in messages] == ["new words", "new answer"]


def test_a_copied_line_has_the_source_id_of_the_original(reading):
    original = {m.content: m.source_id for m in reading("codex-legacy.jsonl")[0]}
    copied, _ = reading(
        lines(line("session_meta", id=OWN), said("user", "Prefer sqlite for tests."), said("user", "Yes."))
    )
    assert {m.content: m.source_id for m in copied} == {
        content: original[content] for content in ("Prefer sqlite for tests.", "Yes.")
    }


@pytest.mark.parametrize(
    "meta",
    [
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": PARENT}}}, "thread_source": "subagent"},
        {"source": {"subagent": "review"}},
        {"source": "cli", "parent_thread_id": PARENT},
        {"source": "exec", "thread_source": "memory_consolidation"},
    ],
)
def test_sub_agents_are_left_out_and_their_files_read_from_the_start_again(reading, meta):
    messages, tally = reading(lines(line("session_meta", id=OWN, **meta), said("user", "a task")))
    assert messages == []
    assert tally.ignored["sub-agent session"] == 1
    assert tally.consumed == 0


def test_a_session_that_only_has_events(reading):
    messages, _ = reading(
        lines(
            line("session_meta", id=OWN),
            line("event_msg", type="user_message", message="hello"),
            line(
                "event_msg",
                type="item_completed",
                item={"type": "AgentMessage", "content": [{"type": "Text", "text": "hi"}]},
            ),
        )
    )
    assert [message.content for message in messages] == ["hello", "hi"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<environment_context>\n<cwd>/x</cwd>\n</environment_context>", []),
        ("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\ntabs\n</INSTRUCTIONS>", []),
        ("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\ncut off", []),
        ("<user_instructions>x</user_instructions>\n<environment_context>y</environment_context>", []),
        ("<subagent_notification>x</subagent_notification>", []),
        ('<codex_internal_context source="goal">x</codex_internal_context>', []),
        ("<stdin>log</stdin>\nwhat is this?", ["what is this?"]),
        ("why does it send <environment_context> tags?", ["why does it send <environment_context> tags?"]),
        ("<b>bold</b> please", ["<b>bold</b> please"]),
    ],
)
def test_without_provenance_the_text_tells(reading, text, expected):
    assert words(reading(lines(line("session_meta", id=OWN), said("user", text)))[0]) == expected


def test_provenance_goes_before_patterns(reading):
    about = {"content_item_kinds": ["user.text"], "content_item_metadata": [{"provenance": {"type": "user"}}]}
    other = {"content_item_kinds": ["hooks.additional_context"]}
    unknown = {"content_item_kinds": ["unknown"], "content_item_metadata": [{"provenance": {"type": "harness"}}]}
    key = "internal_chat_message_metadata_passthrough"
    messages, _ = reading(
        lines(
            said("user", "<skill>quoted</skill>", **{key: about}),
            said("user", "plain words of a hook", **{key: other}),
            said("user", "plain words of the program", **{key: unknown}),
        )
    )
    assert words(messages) == ["<skill>quoted</skill>"]


def test_the_name_of_the_file_stands_in_for_the_session(reading):
    messages, _ = reading(lines(said("user", "x")), name=f"rollout-2026-02-01T10-00-00-{OWN}")
    assert messages[0].session_id == OWN


def test_a_compacted_history_is_not_told_again(reading):
    messages, _ = reading(
        lines(
            said("user", "first"),
            line("compacted", message="", replacement_history=[
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "first"}]},
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "the summary"}],
                 "internal_chat_message_metadata_passthrough": {"content_item_kinds": ["compaction.summary"]}},
            ]),
            said("user", "Another language model started to solve this problem. Use it with your own analysis:\nthe summary"),
        )
    )  # fmt: skip
    assert [(m.kind, m.content) for m in messages] == [
        (MessageKind.TEXT, "first"),
        (MessageKind.SUMMARY, "the summary"),
    ]


def test_compressed(reading, data):
    zstd = pytest.importorskip("backports.zstd")
    whole = (data / "codex-paginated.jsonl").read_bytes()
    half = len(whole) // 2
    frames = zstd.compress(whole[:half]) + zstd.compress(whole[half:])
    assert detect(frames) == "codex"
    messages, tally = reading(frames)
    assert [m.content for m in messages] == [m.content for m in reading(whole)[0]]
    assert tally.consumed == 0
    cut, tally = reading(frames[:-9])
    assert len(cut) <= len(messages)
    assert tally.skipped["compressed data cut off"] == 1
    with pytest.raises(BadInput, match="x is damaged"):
        reading(frames[:40] + b"\x00" * 40 + frames[80:])


def test_compressed_data_swells_no_memory():
    zstd = pytest.importorskip("backports.zstd")
    import io
    import tracemalloc

    from agentmem.domain.reports import Tally

    data = zstd.compress(lines(line("session_meta", id=OWN)) + b" " * (96 << 20) + b"\n" + lines(said("user", "x")))
    tracemalloc.start()
    try:
        assert len(list(read(io.BytesIO(data), name="x", tally=Tally()))) == 1
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 80 << 20

"""All formats: detection, the one entry, and that nothing in a file can make a reader fail."""

import io
import json
import os
import threading
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentmem.domain.reports import Tally
from agentmem.errors import BadInput, UsageError
from agentmem.sources.formats import FORMATS, detect, read


@pytest.mark.parametrize("data", [b"", b"\n \r\n", b"\x00\x00", b"\xef\xbb\xbf"])
def test_an_empty_stream_gives_nothing(reading, data):
    assert reading(data)[0] == []


@pytest.mark.parametrize(
    "data",
    [b"hello\n", b'{"name": "package", "version": "1"}\n', b"\x89PNG\r\n\x1a\n\x00\x00", b"a,b\n1,2\n", b"[]", b"{}"],
)
def test_what_is_no_transcript_is_refused_at_once(data):
    with pytest.raises(BadInput, match="notes is not a transcript") as caught:
        read(io.BytesIO(data), name="notes", tally=Tally())
    assert all(name in caught.value.hint for name in FORMATS)


def test_utf16_is_named():
    with pytest.raises(BadInput) as caught:
        read(io.BytesIO('{"role":"user","content":"x"}'.encode("utf-16")), name="x", tally=Tally())
    assert "UTF-16" in caught.value.hint


def test_unknown_format():
    with pytest.raises(UsageError, match="no transcript format 'nope'"):
        read(io.BytesIO(b"x"), name="x", tally=Tally(), format="nope")


def test_a_given_format_is_not_doubted(reading):
    messages, _ = reading(b"intro\nUser: a\n", format="plain")
    assert [message.content for message in messages] == ["a"]


def test_a_pipe_will_do():
    out, into = os.pipe()
    lines = b"".join(b'{"role":"user","content":"line %d"}\n' % number for number in range(20_000))

    def write():
        with os.fdopen(into, "wb") as pipe:
            pipe.write(lines)

    writer = threading.Thread(target=write)
    writer.start()
    with os.fdopen(out, "rb") as pipe:
        tally = Tally()
        assert sum(1 for _ in read(pipe, name="stdin", tally=tally)) == 20_000
    writer.join()
    assert tally.consumed == len(lines)


class Endless:
    """A long file that is nowhere in memory."""

    def __init__(self, line, size):
        self.block = line * (65536 // len(line))
        self.left = size

    def read(self, size):
        if self.left <= 0:
            return b""
        self.left -= len(self.block)
        return self.block


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file():
    tally = Tally()
    line = b'{"role":"user","content":"We decided to use uv.","id":"m","session_id":"s"}\n'
    tracemalloc.start()
    try:
        for _ in read(Endless(line, 12 << 20), name="x", tally=tally):
            pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert tally.consumed >= 12 << 20
    assert peak < 4 << 20


# Transcripts as no agent would write them.

HUGE = "@huge@"
text = st.text(st.characters(), max_size=30) | st.sampled_from(
    ["", "\x00", "\ud83d", "<system-reminder>", "</system-reminder>", "<agentmem-memory>\n", "<command-name>/x</command-name>",
     "<command-args>a</command-args>", "User: hi", "```", "2026-04-10T09:00:00Z", "0001-01-01T00:00:00+14:00"]
)  # fmt: skip
scalar = st.none() | st.booleans() | st.integers() | st.floats() | text | st.just(HUGE)
anything = st.recursive(
    scalar, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3), max_leaves=8
)
block = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "input_text", "tool_use", "tool_result", "thinking", "image", "function_call"]) | anything},
    optional={"text": text | anything, "content": st.deferred(lambda: content), "input": anything, "arguments": anything,
              "name": text | st.just("mcp__agentmem__recall") | anything, "id": anything, "tool_use_id": anything,
              "source": anything, "is_error": st.booleans()},
)  # fmt: skip
content = text | st.lists(block | text | st.none(), max_size=3) | anything
message = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "Ada", "developer"]) | anything, "content": content},
    optional={"tool_calls": st.lists(st.fixed_dictionaries({"id": anything, "function": anything}), max_size=2) | anything,
              "model": st.just("<synthetic>") | anything, "function_call": anything},
)  # fmt: skip
claude_line = st.fixed_dictionaries(
    {"type": st.sampled_from(["user", "assistant", "attachment", "system", "queue-operation", "summary", "new"]) | anything,
     "message": message | anything},
    optional={"uuid": text | anything, "sessionId": text | anything, "timestamp": anything, "isMeta": st.booleans() | anything,
              "isSidechain": st.booleans(), "isCompactSummary": st.booleans(), "toolUseResult": anything,
              "origin": st.fixed_dictionaries({"kind": st.sampled_from(["human", "peer"]) | anything}) | anything,
              "attachment": st.fixed_dictionaries({"type": st.just("queued_command"), "prompt": content}) | anything,
              "operation": st.sampled_from(["enqueue", "dequeue", "remove", "popAll"]), "content": content,
              "cwd": anything, "gitBranch": anything},
)  # fmt: skip
chat_line = st.builds(
    lambda one, more: {**one, **more},
    message,
    st.fixed_dictionaries({}, optional={"timestamp": anything, "id": anything, "session_id": anything, "speaker": anything,
                                        "created_at": anything, "message": message}),
)  # fmt: skip
conversation = st.fixed_dictionaries({"messages": st.lists(chat_line, max_size=3)}, optional={"id": anything})


def dumped(value, ascii_only):
    written = json.dumps(value, ensure_ascii=ascii_only).replace(f'"{HUGE}"', "9" * 5000)
    return written.encode("utf-8", "surrogatepass")


entry = st.builds(dumped, claude_line | chat_line | conversation | anything, st.booleans()) | st.one_of(
    st.binary(max_size=20),
    st.just(b'{"type":"user","message":' + b"[" * 3000 + b"]" * 3000 + b"}"),
    st.builds(
        lambda who, words: f"{who}: {words}".encode("utf-8", "surrogatepass"), st.sampled_from(["User", "助手"]), text
    ),
)
joint = st.sampled_from([b"\n", b"\r\n", b"", b"\n\x00\x00", b"\n\n", b" ", b"\n\xef\xbb\xbf"])
document = st.builds(
    lambda value, indent: json.dumps(value, indent=indent).replace(f'"{HUGE}"', "9" * 5000).encode(),
    st.lists(chat_line | conversation, max_size=3)
    | conversation
    | st.fixed_dictionaries({"loglines": st.lists(claude_line, max_size=3)}),
    st.sampled_from([None, 1]),
)


@st.composite
def transcripts(draw):
    if draw(st.integers(0, 5)) == 0:
        data = draw(document)
    else:
        data = b"".join(draw(entry) + draw(joint) for _ in range(draw(st.integers(1, 5))))
    if draw(st.booleans()):
        data = b"\xef\xbb\xbf" + data
    if draw(st.integers(0, 3)) == 0:
        data = data[: draw(st.integers(0, len(data)))]
    return data


class Dribble:
    """A stream that gives a few bytes at a time."""

    def __init__(self, data, size):
        self.data, self.size, self.at = data, size, 0

    def read(self, size):
        piece = self.data[self.at : self.at + min(size, self.size)]
        self.at += len(piece)
        return piece


def gathered(stream, chosen):
    tally = Tally()
    try:
        return list(read(stream, name="x", tally=tally, format=chosen)), tally
    except BadInput as error:
        return error.message, tally


def check(data, chosen, size):
    messages, tally = gathered(io.BytesIO(data), chosen)
    assert 0 <= tally.consumed <= len(data)
    dribbled, dribbled_tally = gathered(Dribble(data, size), chosen)
    assert dribbled == messages
    assert dribbled_tally == tally
    if isinstance(messages, str):
        assert messages.startswith("x is ")
        return
    assert tally.messages == len(messages)
    for one in messages:
        assert one.content
        assert not one.content.isspace()
        assert one.session_id
        for words in (one.content, one.session_id, one.source_id, one.speaker, one.cwd, one.branch):
            assert words is None or ("\x00" not in words and words.encode())
        assert one.at is None or one.at.utcoffset() is not None


chosen_formats = st.sampled_from([None, None, None, *FORMATS])


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(transcripts(), chosen_formats, st.integers(1, 40))
def test_no_content_makes_a_reader_fail(data, chosen, size):
    check(data, chosen, size)


@pytest.mark.slow
@settings(max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(transcripts(), chosen_formats, st.integers(1, 40))
def test_no_content_makes_a_reader_fail_in_10000_transcripts(data, chosen, size):
    check(data, chosen, size)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.builds(dumped, claude_line | chat_line, st.just(True)), min_size=1, max_size=5), st.data())
@pytest.mark.parametrize("chosen", ["claude", "chat"])
def test_reading_on_from_where_it_stopped_loses_nothing(chosen, entries, data):
    whole = b"\n".join(entries) + b"\n"
    cut = data.draw(st.integers(0, len(whole)))

    def heard(part):
        tally = Tally()
        messages = list(read(io.BytesIO(part), name="x", tally=tally, format=chosen, session_id="s"))
        return {(m.session_id, m.role, m.content, m.source_id) for m in messages}, tally

    first, tally = heard(whole[:cut])
    second, _ = heard(whole[tally.consumed :])
    # Ids of calls and queued prompts are forgotten in between, so a later part may know less of what to leave out.
    assert heard(whole)[0] <= first | second


@pytest.mark.parametrize(("name", "expected"), [("claude-session.jsonl", "claude"), ("claude-web.json", "claude"),
                                                ("chat.jsonl", "chat"), ("plain.txt", "plain")])  # fmt: skip
def test_fixtures_are_detected(name, expected, request):
    data = request.path.parents[1] / "data" / "transcripts" / name
    assert detect(data.read_bytes()) == expected

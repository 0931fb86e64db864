"""Transcripts of every agent as a crash, a bug or a new version may leave them: none makes a reader fail."""

import copy
import io
import json
import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentmem.domain.reports import Tally
from agentmem.errors import BadInput, UsageError
from agentmem.sources import documents
from agentmem.sources.formats import FORMATS, read

DATA = Path(__file__).parents[1] / "data" / "transcripts"
NAMES = [
    "codex-paginated.jsonl", "codex-legacy.jsonl", "codex-fork.jsonl", "gemini.jsonl", "gemini-legacy.json",
    "cursor.jsonl", "opencode-export.json", "copilot-events.jsonl", "pi.jsonl", "qwen.jsonl",
    "aider.chat.history.md", "cline/1790000000000/ui_messages.json",
    "cline/1790000000000/api_conversation_history.json", "cline/session_1/session_1.messages.json",
]  # fmt: skip
RESUMED = [
    "codex-paginated.jsonl",
    "codex-legacy.jsonl",
    "gemini.jsonl",
    "copilot-events.jsonl",
    "pi.jsonl",
    "qwen.jsonl",
]

odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.just("9" * 5000)
    | st.sampled_from(["user", "assistant", "\x00", "\ud83d", "<agentmem-memory>", "0001-01-01T00:00:00+14:00", "text"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


def places(value, found):
    """All (container, key) pairs in a value."""
    if isinstance(value, dict | list):
        for key, inner in list(value.items()) if isinstance(value, dict) else list(enumerate(value)):
            found.append((value, key))
            places(inner, found)
    return found


def mutate(draw, value):
    """Replace, drop, or move some of the values inside a value."""
    value = [copy.deepcopy(value)]
    for _ in range(draw(st.integers(0, 4))):
        found = places(value, [])
        container, key = found[draw(st.integers(0, len(found) - 1))]
        match draw(st.integers(0, 4)):
            case 0 if isinstance(container, dict):
                del container[key]
            case 1:
                other, place = found[draw(st.integers(0, len(found) - 1))]
                container[key] = (
                    copy.deepcopy(other[place])
                    if place in other or (isinstance(other, list) and place < len(other))
                    else None
                )
            case _:
                container[key] = draw(odd)
    return value[0]


def damage(draw, data):
    """Cut, splice, or overwrite bytes."""
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(data)))
        match draw(st.integers(0, 3)):
            case 0:
                data = data[:at]
            case 1:
                data = data[:at] + draw(st.binary(max_size=8)) + data[at:]
            case 2:
                data = data[:at] + b"\x00" * draw(st.integers(1, 40)) + data[at:]
            case 3:
                data = data[:at] + data[at + draw(st.integers(1, 60)) :]
    return data


def dumped(value, **options):
    return json.dumps(value, **options).encode("utf-8", "surrogatepass")


@st.composite
def transcripts(draw, name):
    whole = (DATA / name).read_bytes()
    if name.endswith(".jsonl"):
        entries = [json.loads(line) for line in whole.splitlines()]
        if draw(st.booleans()):
            entries = draw(st.permutations(entries))
        chosen = draw(st.sets(st.integers(0, len(entries) - 1), max_size=4))
        joint = draw(st.sampled_from([b"\n", b"\r\n", b"", b"\n\x00\n"]))
        whole = joint.join(dumped(mutate(draw, one) if at in chosen else one) for at, one in enumerate(entries))
    elif name.endswith(".json"):
        whole = dumped(mutate(draw, json.loads(whole)), indent=draw(st.sampled_from([None, 1])))
    else:
        rows = draw(st.permutations(whole.splitlines(keepends=True)))
        whole = b"".join(rows)
    return damage(draw, whole)


def take(data, **options):
    """The messages of a transcript, None where it is refused; anything else that is raised fails the test."""
    tally = Tally()
    try:
        messages = list(read(io.BytesIO(data), name="x", tally=tally, **options))
    except (BadInput, UsageError):
        return None
    assert tally.messages == len(messages)
    assert 0 <= tally.consumed <= len(data)
    for one in messages:
        assert one.content.strip()
        assert one.session_id
        assert one.at is None or one.at.utcoffset() is not None
        for words in (one.content, one.session_id, one.source_id, one.cwd, one.branch):
            assert words is None or ("\x00" not in words and words.encode())
    return messages


def agent_of(name):
    return name.split("/")[0].split("-")[0].split(".")[0]


def check(name, data, with_place):
    place = DATA / name if with_place else None
    take(data)
    take(data, format=agent_of(name), path=place)


every = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
many = settings(max_examples=2_000, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("name", NAMES)
def test_no_mutation_makes_a_reader_fail(name):
    @every
    @given(transcripts(name), st.booleans())
    def run(data, with_place):
        check(name, data, with_place)

    run()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_mutation_makes_a_reader_fail_in_2000_transcripts(name):
    @many
    @given(transcripts(name), st.booleans())
    def run(data, with_place):
        check(name, data, with_place)

    run()


def store_of(entries):
    """An OpenCode store as bytes, its rows whatever they are."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        "CREATE TABLE session (id, parent_id, directory, time_created);"
        "CREATE TABLE message (id, session_id, time_created, data); CREATE TABLE part (id, message_id, session_id, data);"
    )
    for table, row in entries:
        marks = ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO {table} VALUES ({marks})", row)
    data = connection.serialize()
    connection.close()
    return data


column = (
    st.none()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.binary(max_size=12)
    | st.sampled_from(["s", "m", "x"])
)


@st.composite
def stores(draw):
    exported = json.loads((DATA / "opencode-export.json").read_text())
    rows = [("session", [draw(st.just("s") | column), draw(st.none() | column), draw(column), draw(column)])]
    for one in exported["messages"]:
        info = dumped(mutate(draw, one["info"]), ensure_ascii=True).decode()
        rows.append(("message", [one["info"]["id"], "s", draw(st.just(1) | column), draw(st.just(info) | column)]))
        for part in one["parts"]:
            data = dumped(mutate(draw, part)).decode() if draw(st.integers(0, 3)) == 0 else json.dumps(part)
            rows.append(("part", [part["id"], one["info"]["id"], "s", data]))
    data = store_of(rows)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(100, len(data) - 1))
        data = data[:at] + bytes([draw(st.integers(0, 255))]) + data[at + 1 :]
    return data[: draw(st.integers(100, len(data)))] if draw(st.integers(0, 4)) == 0 else data


@every
@given(stores())
def test_no_store_makes_the_reader_fail(data):
    take(data)


@pytest.mark.slow
@many
@given(stores())
def test_no_store_makes_the_reader_fail_in_2000_stores(data):
    take(data)


@pytest.mark.parametrize("name", RESUMED)
def test_reading_on_from_where_it_stopped_loses_nothing(name):
    whole = (DATA / name).read_bytes()
    everything = {(m.role, m.content, m.source_id) for m in take(whole)}
    session_id = take(whole)[0].session_id
    for cut in range(0, len(whole), 37):
        tally = Tally()
        first = list(read(io.BytesIO(whole[:cut]), name="x", tally=tally, format=agent_of(name), session_id=session_id))
        second = take(whole[tally.consumed :], format=agent_of(name), session_id=session_id)
        found = {(m.role, m.content, m.source_id) for m in (*first, *second)}
        if name != "gemini.jsonl":  # there a message may come again in a newer state, under the id it had
            assert everything <= found
        assert {one[:2] for one in everything} <= {one[:2] for one in found}
        assert {m.session_id for m in (*first, *second)} == {session_id}


@pytest.mark.parametrize("name", NAMES)
def test_reading_twice_gives_the_same(name):
    data = (DATA / name).read_bytes()
    assert take(data) == take(data)


def test_a_document_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(documents.load, "__kwdefaults__", {"limit": 1000})
    for name in ("gemini-legacy.json", "opencode-export.json", "cline/session_1/session_1.messages.json"):
        assert take((DATA / name).read_bytes()) is None


def test_all_formats_are_covered():
    assert {agent_of(name) for name in NAMES} | {"claude", "chat", "plain"} == set(FORMATS)

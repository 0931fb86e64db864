"""Forked and copied sessions: what several transcripts have is stored once, whatever is read first."""

import itertools
import json
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from agentmem import Config, paths
from agentmem.domain.ids import session_rank
from agentmem.ingest.growth import due
from agentmem.store import files
from agentmem.store.store import Store
from agentmem.upkeep.backfill import CaughtUp, Due, read_all
from agentmem.upkeep.places import Transcript

SAMPLES = os.environ.get("AGENTMEM_SAMPLES", "")
SHIPPED = Path(__file__).parents[1] / "data/transcripts"

Write = Callable[[Path], list[Path]]


def _lines(file: Path, *entries: dict[str, object]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return file


def _at(minute: int) -> str:
    return f"2026-11-20T10:{minute:02}:00.000Z"


def _claude_line(session: str, uuid: str, minute: int, role: str, text: str, **more: object) -> dict[str, object]:
    return {
        "type": role, "uuid": uuid, "parentUuid": None, "isSidechain": False, "sessionId": session, "cwd": "/p",
        "version": "2.1.330", "timestamp": _at(minute), "message": {"role": role, "content": text}, **more,
    }  # fmt: skip


SAID = [
    ("user", "We use pnpm, not npm."),
    ("assistant", "I will use pnpm."),
    ("user", "The port of the gateway is 8081."),
    ("assistant", "Noted."),
]
PARENT, FIRST, SECOND = "yes, go on", "Prefer tabs over spaces.", "The gateway speaks gRPC."


def claude(folder: Path, *, remapped: bool = False) -> list[Path]:
    """A background fork, which keeps the uuids, or one by the SDK, which makes new ones; and a fork of the fork."""

    def session(name: str, *own: str) -> Path:
        shared = [
            _claude_line(name, f"{name if remapped else 'u'}-{n}", n, role, text) for n, (role, text) in enumerate(SAID)
        ]
        more = [_claude_line(name, f"{text}", 20 + len(text), "user", text) for text in own]
        return _lines(folder / f"{name}.jsonl", *shared, *more)

    names = (
        "30000000-0000-4000-8000-000000000000",
        "10000000-0000-4000-8000-000000000000",
        "20000000-0000-4000-8000-000000000000",
    )
    return [session(names[0], PARENT), session(names[1], FIRST), session(names[2], FIRST, SECOND)]


def claude_sdk(folder: Path) -> list[Path]:
    return claude(folder, remapped=True)


def pi(folder: Path) -> list[Path]:
    """Forks copy entries with their ids and times."""

    def session(name: str, minute: int, *own: str) -> Path:
        entries = [
            {"type": "message", "id": f"e{n}", "parentId": None, "timestamp": _at(n), "message": {"role": role, "content": text}}
            for n, (role, text) in enumerate(SAID)
        ] + [
            {"type": "message", "id": f"{name[-3:]}{n}", "parentId": None, "timestamp": _at(minute + n), "message": {"role": "user", "content": text}}
            for n, text in enumerate(own)
        ]  # fmt: skip
        first = {"type": "session", "version": 3, "id": name, "timestamp": _at(minute), "cwd": "/p"}
        return _lines(folder / f"1_{name}.jsonl", first, *entries)

    return [
        session("019a0000-0000-7000-8000-00000000000a", 0, PARENT),
        session("019a0001-0000-7000-8000-000000000009", 20, FIRST),
        session("019a0002-0000-7000-8000-000000000008", 30, SECOND),
    ]


def opencode(folder: Path) -> list[Path]:
    """Exports: forks copy messages under new ids, with their times."""

    def session(name: str, *own: str) -> Path:
        said = [*SAID, *(("user", text) for text in own)]
        messages = [
            {
                "info": {"id": f"msg_{name}{n}", "role": role, "sessionID": f"ses_{name}", "time": {"created": 1_795_000_000_000 + 1000 * n + (len(text) if n >= len(SAID) else 0)}},
                "parts": [{"id": f"prt_{name}{n}", "type": "text", "text": text}],
            }
            for n, (role, text) in enumerate(said)
        ]  # fmt: skip
        info = {"id": f"ses_{name}", "directory": "/p", "title": "t", "projectID": "global", "version": "1.18.33"}
        file = folder / f"{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"info": info, "messages": messages}))
        return file

    return [session("dd1bdf116ffeA", PARENT), session("dd1bd809effeB", FIRST), session("dd1bd000affeC", SECOND)]


def gemini(folder: Path) -> list[Path]:
    """`--session-file` copies messages with their ids, under the time at which the history was last written whole."""

    def session(name: str, minute: int, copied_at: int | None, *own: str) -> Path:
        first = {
            "sessionId": name, "projectHash": "a1", "startTime": _at(minute), "lastUpdated": _at(minute), "kind": "main"
        }  # fmt: skip
        shared = [
            {
                "id": f"6efc6428-0000-4000-8000-00000000000{n}", "timestamp": _at(n if copied_at is None else copied_at),
                "type": "gemini" if role == "assistant" else "user", "content": [{"text": text}],
            }
            for n, (role, text) in enumerate(SAID)
        ]  # fmt: skip
        more = [
            {"id": f"{name[:8]}-0000-4000-8000-00000000001{n}", "timestamp": _at(minute + n), "type": "user", "content": [{"text": text}]}
            for n, text in enumerate(own)
        ]  # fmt: skip
        where = {
            "text": "<session_context>\nThis is the Gemini CLI.\n- **Workspace Directories:**\n  - /p\n</session_context>"
        }
        context = {"id": "d04923d38bb0f6017037e74183378ef4", "timestamp": _at(0), "type": "user", "content": [where]}
        return _lines(folder / f"session-{name[:8]}.jsonl", first, context, *shared, *more)

    return [
        session("30000000-0000-4000-8000-000000000000", 10, None, PARENT),
        session("10000000-0000-4000-8000-000000000000", 20, 12, FIRST),
        session("20000000-0000-4000-8000-000000000000", 30, 13, SECOND),
    ]


def codex(folder: Path) -> list[Path]:
    """An old fork, which copied its parent's lines under new times, and one of today, which holds what is new only."""

    def meta(name: str, minute: int, second: int = 0, **more: object) -> dict[str, object]:
        payload = {"id": name, "cwd": "/p", "originator": "codex_cli", **more}
        return {"timestamp": f"2026-11-20T10:{minute:02}:{second:02}.000Z", "type": "session_meta", "payload": payload}

    def item(stamp: str, role: str, text: str, **more: object) -> dict[str, object]:
        kind = "output_text" if role == "assistant" else "input_text"
        payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
        return {"timestamp": stamp, **more, "type": "response_item", "payload": payload}

    parent, old, new = (f"0199{n}aaa-0000-7000-8000-000000000001" for n in "abc")
    whole = [item(_at(1 + n), role, text) for n, (role, text) in enumerate(SAID)]
    copied = [item(f"2026-11-20T10:30:00.0{10 + n}Z", role, text) for n, (role, text) in enumerate(SAID)]
    return [
        _lines(folder / f"rollout-2026-11-20T10-00-00-{parent}.jsonl", meta(parent, 0), *whole, item(_at(9), "user", PARENT)),
        _lines(
            folder / f"rollout-2026-11-20T10-30-00-{old}.jsonl",
            meta(old, 30, forked_from_id=parent), meta(parent, 30), *copied,
            item(_at(31), "user", FIRST), item(_at(32), "assistant", "Tabs it is."),
        ),
        _lines(
            folder / f"rollout-2026-11-20T10-40-00-{new}.jsonl",
            {**meta(new, 40, forked_from_id=parent, history_base={"thread_id": parent, "end_ordinal_exclusive": 9}), "ordinal": 9},
            item(_at(41), "user", SECOND, ordinal=10),
        ),
    ]  # fmt: skip


def gather(store: Store, paths_: list[Path], *, tolerant: bool = False) -> None:
    """Read transcripts as a sweep does, in the order given."""
    todo = []
    for path in paths_:
        with store.reading() as connection:
            mark = files.watermarks(connection, [str(path)]).get(str(path))
        part = due(path, mark)
        if part is not None:
            todo.append(Due(Transcript("", path, path.stat().st_size, 0.0), part))
    done = CaughtUp()
    read_all(store, todo, done)
    assert tolerant or not done.unread, done.unread
    assert not [one for one in done.unread if "unexpected" in one.why]


def dump(store: Store) -> dict[str, list[tuple[object, ...]]]:
    """All that a reader of the store could tell one order of reading by, apart from when it was read."""
    statements = {
        "sessions": "SELECT id, profile, agent, cwd, started_at, ended_at FROM sessions ORDER BY ALL",
        "messages": """
            SELECT s.id, row_number() OVER (PARTITION BY s.id ORDER BY o.seq) AS place, m.id, m.role, m.content, m.kind,
                m.trust, o.said_at, m.forgotten_at IS NOT NULL
            FROM occurrences o JOIN sessions s ON s.no = o.session_no
            JOIN messages m ON m.session_no = o.session_no AND m.id = o.message_id ORDER BY ALL""",
        "stray messages": "SELECT id FROM messages m ANTI JOIN occurrences o ON o.session_no = m.session_no AND o.message_id = m.id",
        "indexed": """
            SELECT s.id, m.id, d.length FROM documents d JOIN sessions s ON s.no = d.slot // 16777216
            JOIN occurrences o ON o.session_no = s.no AND o.seq = d.slot % 16777216
            JOIN messages m ON m.session_no = s.no AND m.id = o.message_id WHERE d.slot > 0 ORDER BY ALL""",
        "stray documents": """
            SELECT d.slot FROM documents d
            ANTI JOIN occurrences o ON o.session_no = d.slot // 16777216 AND o.seq = d.slot % 16777216 WHERE d.slot > 0""",
        "memories": "SELECT id, status, superseded_by FROM memories ORDER BY ALL",
        "evidence": """
            SELECT e.memory_id, s.id, e.message_id, e.quote, e.said_at FROM evidence e
            JOIN sessions s ON s.no = e.session_no ORDER BY ALL""",
    }  # fmt: skip
    with store.reading() as connection:
        return {name: connection.execute(statement).fetchall() for name, statement in statements.items()}


@pytest.mark.parametrize(
    "write",
    [claude, *(pytest.param(write, marks=pytest.mark.slow) for write in (claude_sdk, pi, opencode, gemini, codex))],
    ids=["claude", "claude_sdk", "pi", "opencode", "gemini", "codex"],
)
def test_the_order_of_reading_makes_no_difference(write: Write, tmp_path: Path):
    found = write(tmp_path / "transcripts")
    dumps = []
    for number, order in enumerate(itertools.permutations(found)):
        store = Store(paths.home(tmp_path / f"store{number}"), Config(embedder="none"))
        gather(store, list(order))
        dumps.append(dump(store))
        gather(store, list(order))  # and once more
        assert dump(store) == dumps[-1]
    assert all(one == dumps[0] for one in dumps), _differences(dumps)
    said = [row[4] for row in dumps[0]["messages"] if row[3] == "user"]
    expected = [text for role, text in SAID if role == "user"] + [PARENT, FIRST, SECOND]
    assert sorted(said) == sorted(expected)
    assert not dumps[0]["stray messages"]
    assert not dumps[0]["stray documents"]
    assert len(dumps[0]["evidence"]) >= 2


def _differences(dumps: list[dict[str, list[tuple[object, ...]]]]) -> list[object]:
    return [(name, n, set(one[name]) ^ set(dumps[0][name])) for n, one in enumerate(dumps) for name in one if one[name] != dumps[0][name]]  # fmt: skip


def test_what_was_forgotten_stays_forgotten_where_it_moves(tmp_path: Path):
    first, second, _ = claude(tmp_path)
    store = Store(paths.home(tmp_path / "store"), Config(embedder="none"))
    gather(store, [first])
    with store.writing() as connection:
        connection.execute("UPDATE messages SET forgotten_at = TIMESTAMP '2026-11-21' WHERE content LIKE '%8081%'")
        connection.execute(
            "DELETE FROM documents WHERE slot IN (SELECT o.session_no * 16777216 + o.seq FROM occurrences o "
            "JOIN messages m ON m.id = o.message_id AND m.session_no = o.session_no WHERE m.forgotten_at IS NOT NULL)"
        )
    gather(store, [second])  # whose id goes before the first one's
    held = dump(store)
    (line,) = [row for row in held["messages"] if "8081" in str(row[4])]
    assert line[0] == second.stem
    assert line[-1] is True
    assert line[2] not in {row[1] for row in held["indexed"]}


def test_who_keeps_a_line_follows_from_the_ids():
    made_first = "019a0000-0000-7000-8000-000000000009"
    made_later = "019a0001-0000-7000-8000-000000000001"
    assert session_rank(made_first) < session_rank(made_later)
    assert session_rank("ses_dd1bdf116ffeXY") < session_rank("ses_dd1bd809effeAB")  # they count down
    assert session_rank("b") > session_rank("a")


def test_equal_words_at_another_time_are_no_copy(tmp_path: Path):
    one = _lines(tmp_path / "a.jsonl", _claude_line("a", "1", 1, "user", "go on"))
    two = _lines(tmp_path / "b.jsonl", _claude_line("b", "2", 2, "user", "go on"))
    store = Store(paths.home(tmp_path / "store"), Config(embedder="none"))
    gather(store, [one, two])
    assert [row[0] for row in dump(store)["messages"]] == ["a", "b"]


UNFIT = "lab-rollout-recompressed.jsonl.zst"
"""A sample that was made of another one: it says of the same session that it was held in another folder."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "most"),
    [
        pytest.param(SHIPPED, 15, id="shipped"),
        pytest.param(
            Path(SAMPLES), 40, id="samples",
            marks=pytest.mark.skipif(not SAMPLES, reason="AGENTMEM_SAMPLES names no folder of samples"),
        ),
    ],
)  # fmt: skip
def test_a_folder_in_three_orders_and_twice_gives_the_same_store(tmp_path: Path, folder: Path, most: int):
    found = sorted(
        path for path in folder.rglob("*")
        if path.suffix in (".jsonl", ".json", ".db", ".zst", ".md", ".txt") and path.name not in ("MANIFEST.md", UNFIT)
        and "hook-stdin" not in path.parts and "subagents" not in path.parts and not {"message", "part"} & set(path.parts)
    )  # fmt: skip
    shuffled = list(found)
    random.Random(7).shuffle(shuffled)
    dumps = []
    for number, order in enumerate((found, found[::-1], shuffled)):
        store = Store(paths.home(tmp_path / f"store{number}"), Config(embedder="none"))
        gather(store, order, tolerant=True)
        dumps.append(dump(store))
        gather(store, order, tolerant=True)
        assert dump(store) == dumps[-1]
        # Some sessions are cut into several files here, so that their parts come in the order of the files.
        dumps[-1]["messages"] = sorted((row[0], *row[2:]) for row in dumps[-1]["messages"])
    assert all(one == dumps[0] for one in dumps), _differences(dumps)
    assert len(dumps[0]["sessions"]) >= most
    assert not [row for row in dumps[0]["messages"] if "INJECTED" in str(row)]

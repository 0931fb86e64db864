"""Random stores, written row by row, so that they hold more than an ingest would give in a short time."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from hypothesis import strategies as st

from agentmem import Config, Memory
from agentmem.domain.ids import content_hash, digest, memory_id, message_id
from agentmem.domain.memories import MemoryKind, Status
from agentmem.domain.messages import MessageKind, Role, Trust
from agentmem.domain.text import normalise
from agentmem.store import fulltext, journal
from agentmem.store.fulltext import Terms
from agentmem.store.messages import slot_of
from agentmem.store.rows import TIME, insert

START = datetime(2026, 1, 1, tzinfo=UTC).replace(tzinfo=None)
PLAIN = Config(embedder="none")

texts = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=40),
    min_size=1,
    max_size=12,
)


def opened(folder: Path) -> Memory:
    """A memory in a folder of its own."""
    return Memory.open(folder, profile="project", config=PLAIN)


class Maker:
    """Fills a store with as many rows as are asked for.

    Args:
        memory: an empty one.
        said: texts to choose from.
        random: what chooses.
    """

    def __init__(self, memory: Memory, said: list[str], random: Random) -> None:
        self._store = memory._store
        self._said = said
        self._random = random
        self._terms = Terms()
        self._no = 0

    def fill(self, rows: int) -> None:
        with self._store.writing() as connection:
            self._connection = connection
            profiles = [f"p{n}-{self._random.choice(self._said)[:5]}" for n in range(self._random.randint(1, 3))]
            self._insert(
                "profiles",
                name=profiles,
                identity=[self._maybe(self._text()) for _ in profiles],
                created_at=[self._time() for _ in profiles],
            )
            self._messages = []
            for profile in profiles:
                self._sessions(profile, rows // (4 * len(profiles)))
                self._memories(profile, rows // (4 * len(profiles)))
            self._journal(profiles, rows // 4)
            self._rest(profiles)

    def _text(self) -> str:
        self._no += 1
        return f"{self._random.choice(self._said)} {self._random.choice(self._said)} {self._no % 50}"

    def _time(self) -> datetime:
        return START + timedelta(microseconds=self._random.randrange(10**13))

    def _maybe(self, value):
        return value if self._random.random() < 0.7 else None

    def _insert(self, table: str, **columns) -> None:
        kinds = {}
        for name, values in columns.items():
            some = next((value for value in values if value is not None), "")
            kinds[name] = (
                TIME if isinstance(some, datetime) else "int64" if type(some) is int else "double" if type(some) is float
                else "bool" if type(some) is bool else "string",
                values,
            )  # fmt: skip
        insert(self._connection, table, kinds)

    def _sessions(self, profile: str, messages: int) -> None:
        while messages > 0:
            length = min(messages, self._random.randint(1, 200))
            messages -= length
            self._session(profile, length)

    def _session(self, profile: str, length: int) -> None:
        self._no += 1
        no = number = self._no
        session = f"s{number}" if self._random.random() < 0.8 else f"s{number}-{self._random.choice(self._said)}"
        begun = self._maybe(self._time())
        self._insert(
            "sessions",
            no=[no], id=[session], profile=[profile], agent=[self._maybe("claude")], cwd=[self._maybe(self._text())],
            branch=[self._maybe("main")], started_at=[begun], ended_at=[begun and begun + timedelta(hours=1)],
            source=[self._maybe("library")], ingested_at=[self._time()],
        )  # fmt: skip
        rows: dict[str, tuple] = {}
        placed = []
        seq = 0
        for _ in range(length):
            role = self._random.choice(list(Role))
            content = self._text()
            identity = message_id(session, role, content)
            at = self._maybe(self._time())
            forgotten = self._time() if self._random.random() < 0.1 else None
            source = f"l{seq}" if self._random.random() < 0.5 else None
            rows.setdefault(identity, (role, content, at, forgotten, self._maybe(self._random.choice(self._said))))
            placed.append((seq, identity, at, source))
            seq += 1 if self._random.random() < 0.9 else 3
        size = len(rows)
        self._insert(
            "messages",
            session_no=[no] * size, id=list(rows), role=[r[0].value for r in rows.values()],
            kind=[self._random.choice(list(MessageKind)).value for _ in rows],
            trust=[self._random.choice(list(Trust)).value for _ in rows], speaker=[r[4] for r in rows.values()],
            content=[r[1] for r in rows.values()], said_at=[r[2] for r in rows.values()],
            forgotten_at=[r[3] for r in rows.values()],
        )  # fmt: skip
        self._insert(
            "occurrences",
            session_no=[no] * length, seq=[p[0] for p in placed], message_id=[p[1] for p in placed],
            said_at=[p[2] for p in placed], source_id=[p[3] for p in placed],
            stored_at=[self._time() for _ in placed],
        )  # fmt: skip
        documents = []
        for at_seq, identity, _, _ in placed:
            role, content, _, forgotten, speaker = rows[identity]
            if forgotten is None:
                words = self._terms.of(f"{speaker}: {content}" if speaker else content)
                documents.append(fulltext.Document(slot_of(no, at_seq), profile, words, role in ("user", "assistant")))
            self._messages.append((no, identity))
        fulltext.add(self._connection, documents)

    def _memories(self, profile: str, many: int) -> None:
        made: dict[str, tuple] = {}
        taken = set()
        for _ in range(many):
            kind = self._random.choice(list(MemoryKind))
            topic = self._maybe(f"topic.{self._random.randrange(max(many // 3, 1))}")
            content = self._text()
            status = self._random.choice([Status.ACTIVE, Status.ACTIVE, *list(Status)[:4]])
            if status is Status.ACTIVE and topic in taken:
                status = Status.SUPERSEDED
            identity = memory_id(profile, kind, topic, normalise(content))
            if identity in made:
                continue
            if status is Status.ACTIVE and topic:
                taken.add(topic)
            made[identity] = (kind, topic, content, status)
        if not made:
            return
        ids = list(made)
        first = self._no + 1
        self._no += len(ids)
        numbers = range(first, first + len(ids))
        self._insert(
            "memories",
            no=list(numbers), id=ids, profile=[profile] * len(ids), kind=[m[0].value for m in made.values()],
            topic_key=[m[1] for m in made.values()], content=[m[2] for m in made.values()],
            importance=[self._random.random() for _ in ids],
            occurred_at=[self._maybe(self._time()) for _ in ids], valid_from=[self._maybe(self._time()) for _ in ids],
            created_at=[self._time() for _ in ids], expires_at=[self._maybe(self._time()) for _ in ids],
            last_recalled_at=[self._maybe(self._time()) for _ in ids], status=[m[3].value for m in made.values()],
            superseded_by=[self._random.choice(ids) if m[3] is Status.SUPERSEDED else None for m in made.values()],
            trust=[self._random.choice(list(Trust)).value for _ in ids], extractor=["rules/1"] * len(ids),
            pinned=[self._random.random() < 0.1 for _ in ids], confirmed_at=[self._maybe(self._time()) for _ in ids],
            reason=[self._maybe(self._text()) for _ in ids], recalled=[self._random.randrange(9) for _ in ids],
        )  # fmt: skip
        states = [number for number in numbers for _ in range(self._random.randint(1, 3))]
        self._insert(
            "versions",
            no=list(range(first, first + len(states))), memory_no=states, known_from=[self._time() for _ in states],
            status=[self._maybe("active") for _ in states], superseded_by=[self._maybe(ids[0]) for _ in states],
            valid_from=[self._maybe(self._time()) for _ in states],
            expires_at=[self._maybe(self._time()) for _ in states], reason=[self._maybe(self._text()) for _ in states],
        )  # fmt: skip
        queries = [(identity, self._text()) for identity in ids for _ in range(self._random.randint(0, 3))]
        self._insert("search_queries", memory_id=[q[0] for q in queries], query=[q[1] for q in queries])
        asked: dict[str, list[str]] = {}
        for identity, query in queries:
            asked.setdefault(identity, []).append(query)
        documents = [
            fulltext.Document(
                -no, profile, self._terms.of("\n".join([*asked.get(identity, ()), m[1] or "", m[2]]).strip()),
                m[3] is Status.ACTIVE and m[0] is not MemoryKind.TASK,
            )
            for no, (identity, m) in zip(numbers, made.items(), strict=True)
            if m[3] is not Status.FORGOTTEN
        ]  # fmt: skip
        fulltext.add(self._connection, documents)
        cited = [(identity, *self._random.choice(self._messages)) for identity in ids if self._messages]
        self._insert(
            "evidence",
            memory_id=[c[0] for c in cited], session_no=[c[1] for c in cited], message_id=[c[2] for c in cited],
            quote=[self._text() for _ in cited], said_at=[self._maybe(self._time()) for _ in cited],
        )  # fmt: skip
        gone = [m[2] for m in made.values() if m[3] is Status.FORGOTTEN and self._random.random() < 0.8]
        graves = sorted({digest(profile, normalise(content)) for content in gone})
        self._insert(
            "tombstones",
            digest=graves, profile=[profile] * len(graves), buried_at=[self._time() for _ in graves],
        )  # fmt: skip

    def _journal(self, profiles: list[str], many: int) -> None:
        entries = [
            journal.Entry(
                self._random.choice(["remember", "ingest", "supersede", "evidence"]),
                self._random.choice([*profiles, ""]),
                self._text(),
                before=self._maybe({"status": "active", self._text(): self._text()}),
                after=self._maybe({"messages": self._random.randrange(9), "at": None, "ok": True, "x": 0.25}),
            )
            for _ in range(many)
        ]
        while entries:
            size = self._random.randint(1, 5)
            undone = self._maybe(self._random.randint(1, 9))
            journal.write(self._connection, "user", entries[:size], journal.Action(undoes=undone))
            del entries[:size]
        self._connection.execute("UPDATE journal SET written_at = written_at - no * INTERVAL 1 SECOND")

    def _rest(self, profiles: list[str]) -> None:
        keys = [content_hash(str(n)) for n in range(20)]
        vectors = [[self._random.uniform(-1, 1) for _ in range(4)] for _ in keys]
        for key, vector in zip(keys, vectors, strict=True):
            self._connection.execute("INSERT INTO embeddings VALUES ($1, 'fake/1', $2::FLOAT[])", [key, vector])
        self._connection.execute(
            "INSERT INTO files VALUES ('/home/ada/a.jsonl', 'claude', NULL, 10, 5, 'ab', TIMESTAMP '2026-01-01')"
        )

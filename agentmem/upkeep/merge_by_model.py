"""How what was merged is put into words, by a model: one sentence in place of the several that say the same.

The rule has merged the cluster before a model is asked, and its keeper stays unless the model's sentence passes every
check by machine: each quote must stand in the evidence, as with extraction, and the sentence must say what each of the
merged memories says, no word of content, number or name more or less. So no claim is made that the evidence does not
cover, and none is lost.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from filelock import FileLock, Timeout

from agentmem.domain.ids import memory_id
from agentmem.domain.memories import Candidate, MemoryItem, MemoryKind, Status
from agentmem.domain.text import clean, normalise
from agentmem.errors import BadReply, ModelUnavailable
from agentmem.ingest.asking import AT_ONCE, Asker, Question
from agentmem.ingest.forgotten import find_graves
from agentmem.ingest.judge import significant
from agentmem.ingest.statements import read
from agentmem.ingest.supersede import STRENGTH
from agentmem.ingest.verify import verify
from agentmem.models.language import LanguageModel, ModelRole, Reply
from agentmem.paths import PRIVATE_FILE
from agentmem.prompts.load import load
from agentmem.rules.suspicion import suspicious
from agentmem.store import anchors, gathered, journal, memories, merging, states, work
from agentmem.store.fulltext import Terms
from agentmem.store.rows import now
from agentmem.store.store import Connection, Store
from agentmem.upkeep.duplicates import Cluster

_LONGEST = 1_000  # characters of a sentence
_MOST_QUOTES = 3  # of a memory, that a model is shown
_MOST_QUERIES = 5

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "content": {"type": "string"},
        "quotes": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"memory": {"type": "integer"}, "quote": {"type": "string"}},
                "required": ["memory", "quote"],
            },
        },
    },
    "required": ["content", "quotes"],
}


@dataclass(frozen=True, slots=True)
class Source:
    """A merged memory, and the words that support it; for one that a person told directly its own."""

    item: MemoryItem
    quotes: tuple[str, ...]


@dataclass(slots=True)
class Reworded:
    """What came of it.

    Args:
        merged: clusters that a model's sentence stands for now.
        refused: answers that did not pass their checks, or were none.
        note: why no model was asked, or not for all; empty if all is well.
    """

    merged: int = 0
    refused: int = 0
    note: str = ""


@dataclass(slots=True)
class Rewording:
    """Puts clusters into words.

    Args:
        store: where they are.
        choose: the model of a role.
    """

    store: Store
    choose: Callable[[ModelRole], LanguageModel | None]
    done: Reworded = field(default_factory=Reworded)

    def reword(self, clusters: Sequence[Cluster], action: journal.Action, until: float | None) -> Reworded:
        """Ask for each cluster, within the day's budget; one that cannot be asked for stays as it is.

        Args:
            clusters: merged already.
            action: what the changes are part of.
            until: ask nothing after this, by `time.monotonic`.

        Raises:
            ConfigError: the settings name a kind of model that there is none of.
            StoreBusy: others hold the store; what was done stays.
        """
        wanted = [cluster for cluster in clusters if _worth_asking(cluster)]
        if not wanted or self.store.config.language_model == "none":
            return self.done
        try:
            with FileLock(self.store.home.data / "models.lock", timeout=0, mode=PRIVATE_FILE):
                self._ask_for(wanted, action, until)
        except Timeout:
            self.done.note = "Another process lets the models work: what was merged keeps its words."
        except ModelUnavailable as error:
            self.done.note = f"{error.message.rstrip('.')}: what was merged keeps its words."
        return self.done

    def _ask_for(self, clusters: Sequence[Cluster], action: journal.Action, until: float | None) -> None:
        asker = Asker(self._model)
        budget = self.store.config.budget_minutes_per_day * 60
        with self.store.reading() as connection:
            spent = work.seconds_on(connection, _today())
        for start in range(0, len(clusters), AT_ONCE):
            if until is not None and time.monotonic() > until:
                return
            if 0 < budget <= spent:
                self.done.note = "Today's time for models is used up: what was merged keeps its words."
                return
            batch = clusters[start : start + AT_ONCE]
            with self.store.reading() as connection:
                sources = [_sources(connection, cluster) for cluster in batch]
            with self._counted(asker) as took:
                replies = asker.ask_all([_question(one) for one in sources])
            spent += sum(took)
            for cluster, shown, reply in zip(batch, sources, replies, strict=True):
                content = None if isinstance(reply, BadReply) else sentence(reply, shown)
                if content is None:
                    self.done.refused += 1
                elif normalise(content) != normalise(cluster.keeper.content):
                    with self.store.writing() as connection:
                        self.done.merged += _replace(connection, cluster, content, action)

    @contextmanager
    def _counted(self, asker: Asker) -> Iterator[list[float]]:
        """Note what the models took, also where they failed."""
        took: list[float] = []
        try:
            yield took
        except BaseException:  # Ctrl-C as well gives up what is open
            asker.stop()
            raise
        finally:
            uses = asker.take_uses()
            took += [use.seconds for use in uses]
            with self.store.writing() as connection:
                work.note_use(connection, _today(), uses)

    def _model(self, role: ModelRole) -> LanguageModel:
        model = self.choose(role)
        if model is None:
            raise ModelUnavailable(f"No language model is configured for {role.value}")
        return model


def sentence(reply: Reply, sources: Sequence[Source]) -> str | None:
    """A model's sentence, if a machine finds all of it in what was merged; else None.

    Args:
        reply: what the model said, of the form of `SCHEMA`.
        sources: the merged memories, numbered from 1.
    """
    said = reply.data or {}
    content = " ".join(clean(said["content"]).split())
    if not content or len(content) > _LONGEST or suspicious(content):
        return None
    quotes = [(one["memory"], one["quote"]) for one in said["quotes"]]
    if not quotes or not all(_stands(number, quote, sources) for number, quote in quotes):
        return None
    statement = read(content)
    return content if all(statement.says_same(read(one.item.content)) for one in sources) else None


def _stands(number: int, quote: str, sources: Sequence[Source]) -> bool:
    """Whether a quote stands in a memory's evidence, by the check that extraction uses."""
    if not 1 <= number <= len(sources):
        return False
    quoting = Candidate(kind=MemoryKind.FACT, content="-", quote=clean(quote), session_id="", message_id="")
    return any(verify(quoting, text) is not None for text in sources[number - 1].quotes)


def _worth_asking(cluster: Cluster) -> bool:
    """Whether the wordings differ in more than articles, and the keeper's own is no person's choice.

    What has a topic keeps its words: its value is what counts, and is said again in these.
    """
    keeper = cluster.keeper
    wordings = {tuple(significant(one.content)) for one in _shown(cluster)}
    return len(wordings) > 1 and not keeper.pinned and keeper.topic_key is None


def _shown(cluster: Cluster) -> list[MemoryItem]:
    """The memories whose words count: none that is less trusted than the one that stays."""
    least = STRENGTH[cluster.keeper.trust]
    return [cluster.keeper, *(one for one in cluster.members if STRENGTH[one.trust] >= least)]


def _sources(connection: Connection, cluster: Cluster) -> list[Source]:
    items = _shown(cluster)
    said = gathered.words_of(connection, [item.id for item in items])
    return [
        Source(item, tuple(dict.fromkeys(one.quote for one in said.get(item.id, ()))) or (item.content,))
        for item in items
    ]


def _question(sources: Sequence[Source]) -> Question:
    told = "\n".join(
        f"{number}. {source.item.content}\n   evidence: "
        + " | ".join(f"“{one}”" for one in source.quotes[:_MOST_QUOTES])
        for number, source in enumerate(sources, 1)
    )
    return Question(ModelRole.MERGE, "merge", load("merge").fill(memories=told), SCHEMA)


def _replace(connection: Connection, cluster: Cluster, content: str, action: journal.Action) -> bool:
    """Let a sentence take the place of the keeper and all that it replaced, if nothing changed meanwhile."""
    ids = [cluster.keeper.id, *(member.id for member in cluster.members)]
    known = memories.by_ids(connection, ids)
    keeper = known.get(cluster.keeper.id)
    if (
        keeper is None
        or keeper.status is not Status.ACTIVE
        or keeper.pinned
        or keeper.content != cluster.keeper.content
    ):
        return False
    new = replace(
        keeper,
        id=memory_id(keeper.profile, keeper.kind, None, normalise(content)),
        content=content,
        created_at=now(),
        extractor=load("merge").label,
    )
    buried = find_graves(connection, [(new.profile, None, content)])[0] is not None
    if buried or memories.by_ids(connection, [new.id]).get(new.id) is not None:
        return False
    members = [key for key in ids if key in known]
    queries = memories.queries_of(connection, members)
    kept = list(dict.fromkeys(query for key in members for query in queries.get(key, ())))[:_MOST_QUERIES]
    with states.recorded(connection, "compact", "merge", members, action=action) as watched:
        memories.add(connection, [new], [Terms().of(memories.search_text(new, kept))])
        memories.add_queries(connection, [(new.id, query) for query in kept])
        merging.gather_evidence(connection, dict.fromkeys(members, new.id))
        merging.change_status(connection, [(key, Status.SUPERSEDED, new.id) for key in members])
        watched.add(new.id)
    places = anchors.of(connection, [keeper.id]).get(keeper.id, [])
    anchors.add(connection, [replace(place, memory_id=new.id) for place in places])
    return True


def _today() -> date:
    return now().astimezone().date()

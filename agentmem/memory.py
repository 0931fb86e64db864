"""The one door to the library: everything that the commands do."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Self

from agentmem import config as configuration
from agentmem import paths
from agentmem.config import Config
from agentmem.domain.memories import MemoryItem
from agentmem.domain.messages import Message, Trust
from agentmem.domain.recall import MEMORY, TYPES, Answer, Query
from agentmem.domain.reports import Tally
from agentmem.domain.weights import Weights
from agentmem.errors import NotFound, UsageError
from agentmem.ingest.pipeline import Ingested, Ingestion
from agentmem.ingest.remember import remember
from agentmem.ingest.vectorize import Vectorized, vectorize
from agentmem.models.choose import choose_embedder, choose_language_model
from agentmem.models.embedder import Embedder
from agentmem.models.language import LanguageModel, ModelRole
from agentmem.paths import Home
from agentmem.projects import USER, identify
from agentmem.recall.aid import PERSON_SECONDS, START_SECONDS, helped
from agentmem.recall.analyze import analyze
from agentmem.recall.briefing import MOST_RELATED, MOST_TOKENS, Briefing, brief
from agentmem.recall.pipeline import recall
from agentmem.recall.related import related
from agentmem.recall.weigh import Rates
from agentmem.sources.chat import from_objects
from agentmem.store import recalled, sessions
from agentmem.store.fulltext import Terms
from agentmem.store.messages import StoredMessage
from agentmem.store.store import Store
from agentmem.upkeep.asked import instant, kind_called, kinds_called, local_now, moment, today_meant
from agentmem.upkeep.capturing import Capturing
from agentmem.upkeep.compacting import Compacting
from agentmem.upkeep.erasing import Erasing
from agentmem.upkeep.forget import forget
from agentmem.upkeep.forgetting import Forgetting
from agentmem.upkeep.looking import Looking
from agentmem.upkeep.moving import Moving
from agentmem.upkeep.paying import Paying
from agentmem.upkeep.reindexing import Reindexing
from agentmem.upkeep.tending import Tending
from agentmem.upkeep.tidy import note_recalled, tidy

MOST_HITS = 1_000
MOST_NOTED = 5
"""Memories of an answer that count as recalled: those behind them were shown, but hardly used."""


class Memory(Looking, Capturing, Tending, Forgetting, Compacting, Erasing, Reindexing, Moving, Paying):
    """A store, seen from one profile.

    Use `Memory.open`; nothing is kept open between calls, so one object may live as long as it likes.

    Args:
        home: where the store lives.
        config: the settings in force.
        profile: the profile to write to and read from; None: that of the folder's project.
        folder: where the work is done; None: the current folder.
        models: the language model of a role; None: those that the settings name.
    """

    def __init__(
        self,
        home: Home,
        config: Config,
        profile: str | None = None,
        folder: str | None = None,
        *,
        models: Callable[[ModelRole], LanguageModel | None] | None = None,
    ) -> None:
        self.home = home
        self.config = config
        self._asked = profile
        self._folder = folder
        self._store = Store(home, config)
        self._terms = Terms()
        self._load = cache(partial(choose_embedder, config.embedder, config))
        self._choose = models or cache(partial(choose_language_model, config))

    @classmethod
    def open(
        cls,
        home: str | Path | None = None,
        *,
        profile: str | None = None,
        config: Config | None = None,
        folder: str | None = None,
    ) -> Self:
        """The memory at a place.

        Args:
            home: a folder for everything; None: `AGENTMEM_HOME`, else the platform's own.
            profile: a profile's name, or its unique beginning; None: the folder's project.
            config: settings; None: those of config.toml and the environment.
            folder: the folder whose project is meant; None: the current one.
        """
        place = paths.home(home)
        return cls(place, config or configuration.load(place.settings), profile, folder)

    @cached_property
    def profile(self) -> str:
        """The profile that this object writes to and reads from."""
        if self._asked is None:
            return identify(self._folder or str(Path.cwd())).name
        with self._store.reading() as connection:
            return sessions.find_profile(connection, self._asked)

    def seen_from(self, profile: str | None) -> "Memory":
        """The same memory seen from another profile; the embedding model is loaded once for both."""
        other = Memory(self.home, self.config, profile, self._folder)
        other._store, other._terms, other._load = self._store, self._terms, self._load
        other._choose = self._choose
        return other

    @property
    def _embedder(self) -> Embedder | None:
        return self._load()

    @property
    def _rates(self) -> Rates:
        return Rates(decay=self.config.decay(), unconfirmed_days=self.config.unconfirmed_days)

    def _writable_profile(self) -> str:
        """Like `profile`, but a name that nothing has yet is taken as a new profile's."""
        try:
            return self.profile
        except NotFound:
            return str(self._asked)

    def ingestion(self) -> Ingestion:
        """A run over one or more streams, whose counts add up.

        With a profile chosen all goes there; otherwise each session goes to the project of the folder that it names.
        """
        if self._asked is not None:
            profile = self._writable_profile()
            return Ingestion(self._store, profile=profile, fallback=(profile, None))
        project = identify(self._folder or str(Path.cwd()))
        return Ingestion(self._store, profile=None, fallback=(project.name, project.identity))

    def ingest(
        self,
        said: Iterable[Message | Mapping[str, object]],
        *,
        session_id: str | None = None,
        source: str = "library",
        progress: Callable[[int], None] = lambda _count: None,
    ) -> Ingested:
        """Store messages, and the memories that the rules find in them; what is stored already is recognised.

        Vectors are not computed here: call `work`.

        Args:
            said: `Message` values, or mappings of the generic shape
                `{"role", "content", "timestamp"?, "id"?, "session_id"?, "speaker"?}`.
            session_id: the session of mappings that do not name theirs.
            source: where they come from, for the record.
            progress: called after each batch with the messages taken so far.

        Raises:
            StoreBusy: another process holds the store; the current batch is not stored, those before are.
        """
        tally = Tally()
        run = self.ingestion()
        lines = from_objects(said, name=source, session_id=session_id, tally=tally)
        run.take(lines, source=source, progress=progress)
        run.done.skipped += tally.skipped
        return run.done

    def work(
        self,
        *,
        seconds: float | None = None,
        restart_vectors: bool = False,
        progress: Callable[[int, int], None] = lambda _done, _owed: None,
    ) -> Vectorized:
        """Pay what is owed: the vectors of all documents that lack theirs. Can be interrupted anywhere.

        Without a time limit the postings are sorted as well, once enough have come.

        Args:
            seconds: stop after about this long; None: when nothing is owed.
            restart_vectors: compute all anew if the store's come from another model.
            progress: called with the vectors done and those owed.

        Raises:
            ModelMismatch: the store's vectors come from another model.
            ModelUnavailable: the configured model cannot be loaded here.
        """
        note_recalled(self._store)
        if seconds is None:
            tidy(self._store)
        if self._embedder is None:
            return Vectorized()
        return vectorize(self._store, self._embedder, seconds=seconds, restart=restart_vectors, progress=progress)

    def remember(
        self,
        text: str,
        *,
        kind: str | None = None,
        topic_key: str | None = None,
        importance: float | None = None,
        trust: Trust = Trust.HIGH,
    ) -> MemoryItem:
        """Store one memory as it is told; a newer one about the same topic supersedes the older.

        Args:
            text: what to remember.
            kind: what it says; None: the words tell.
            topic_key: what it is about; None: the words tell.
            importance: 0 to 1.
            trust: high for what a person tells, medium for what an agent does, which never supersedes a person's word.

        Raises:
            UsageError: no text, too much of it, or an unknown kind.
        """
        return remember(
            self._store,
            self._terms,
            text,
            profile=self._writable_profile(),
            kind=kind_called(kind),
            topic_key=topic_key,
            importance=importance,
            trust=trust,
            folder=(self._folder or str(Path.cwd())) if self._asked is None else self._folder,
        )

    def recall(
        self,
        query: str,
        *,
        k: int | None = None,
        types: Sequence[str] = TYPES,
        kinds: Sequence[str] = (),
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        reference_date: datetime | str | None = None,
        everything: bool = False,
        weights: Weights | None = None,
        llm: bool = True,
        budget_ms: int | None = None,
        as_of: datetime | str | None = None,
        known_at: datetime | str | None = None,
        sessions: int = 0,
    ) -> Answer:
        """What the project's profile, and the user's, know about a question; no hits when that is nothing.

        Args:
            query: the question, in any language.
            k: how many hits, up to 1,000; None: the setting `limit`.
            types: `memory`, `message` or both.
            kinds: only memories of these kinds.
            since: nothing older; a time, or words like "2 weeks ago".
            until: nothing as new as this.
            reference_date: what "today" means in the question; None: now.
            everything: also superseded, expired and forgotten memories.
            weights: of the ranking; None: the measured ones.
            llm: ask the language models that the settings name; False: rules alone.
            budget_ms: how long those may take, in milliseconds; None: as long as a person waits. What is not ready by
                then is left out, and `Answer.trouble` says so; the ranked hits always come.
            as_of: only what was true then, and said by then; of a day, its end.
            known_at: only what the store knew then.
            sessions: how many sessions to name as well, those that the question is about.

        Raises:
            UsageError: an empty question, an unknown type or kind, a date that cannot be read.
            ModelMismatch: the store's vectors come from another model.
        """
        if not query.strip():
            raise UsageError("There is no question", 'Ask as in `agentmem recall "which package manager?"`.')
        limit = self.config.limit if k is None else k
        if not 1 <= limit <= MOST_HITS:
            raise UsageError(f"The number of hits is from 1 to {MOST_HITS:,}, not {limit}")
        unknown = [name for name in types if name not in TYPES]
        if unknown:
            raise UsageError(f"Unknown type {unknown[0]!r}", f"Types are {', '.join(TYPES)}.")
        then, known = instant(as_of, local_now()), instant(known_at, local_now())
        reference = (
            (then or known or local_now()) if reference_date is None else today_meant(reference_date, local_now())
        )

        def ask(text: str) -> Query:
            return analyze(
                text,
                self._terms,
                profiles=tuple(dict.fromkeys((self.profile, USER))),
                reference=reference,
                types=types,
                kinds=kinds_called(kinds),
                since=moment(since, reference),
                until=moment(until, reference),
                limit=limit,
                sessions=sessions,
                everything=everything,
                weights=weights or Weights(),
                as_of=then,
                known_at=known,
            )

        seconds = PERSON_SECONDS if budget_ms is None else budget_ms / 1_000
        aid = helped(self.config, self._choose, seconds=seconds, words=True, llm=llm)
        answer = recall(self._store, query, ask, lambda: self._embedder, self._rates, aid)
        found = [hit.id for hit in answer.hits if hit.type == MEMORY][:MOST_NOTED]
        if found and then is None and known is None:
            recalled.note(self.home, found)
        return answer

    def context(
        self,
        *,
        session: str | None = None,
        query: str | None = None,
        budget: int = MOST_TOKENS,
        window: int | None = None,
        today: date | None = None,
    ) -> Briefing:
        """What a session should know when it starts: one block of text to inject; empty when nothing is known.

        Args:
            session: the session that is to be told; it is not told of itself.
            query: the first prompt: what is known about it goes first.
            budget: tokens, 2,000 at most.
            window: the tokens of the context window that it goes into, of which it takes a tenth at most.
            today: the day it is made for; None: today.

        Raises:
            UsageError: the budget is none.
        """
        if budget < 1:
            raise UsageError(f"A budget is at least one token, not {budget}")
        profile = self._writable_profile()
        about: tuple[str, ...] = ()
        if query and query.strip():
            about = related(
                self._store,
                self._terms,
                query,
                profiles=tuple(dict.fromkeys((profile, USER))),
                reference=local_now(),
                embedder=lambda: self._embedder,
                most=MOST_RELATED,
                aid=helped(self.config, self._choose, seconds=START_SECONDS, words=False, warm=True),
                rates=self._rates,
            )
        day = today or local_now().date()
        return brief(
            self._store, profile, day, config=self.config, session=session, related=about, budget=budget, window=window
        )

    def forget(self, start: str) -> MemoryItem | StoredMessage:
        """Hide a memory or message; its value does not come back by reading a transcript again.

        Raises:
            NotFound: there is none.
            UsageError: several are meant.
        """
        with self._store.writing() as connection:
            return forget(connection, start)

"""Which memories and messages are meant: by id, by a phrase, by session or by profile."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from agentmem.domain.memories import MemoryItem
from agentmem.domain.text import fold
from agentmem.errors import NotFound, UsageError
from agentmem.ingest import statements
from agentmem.ingest.statements import Statement
from agentmem.store import hiding, memories, messages, purging, sessions
from agentmem.store.messages import StoredMessage
from agentmem.store.store import Connection
from agentmem.upkeep.inspect import find

_TELLING = 8  # characters from which a mark alone is telling


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What somebody asks for; exactly one of the four.

    Args:
        id: the id of a memory or message, or its beginning.
        query: a phrase: all that contains these words in this order.
        session: a session's id, or its beginning.
        profile: all of a profile.
    """

    id: str | None = None
    query: str | None = None
    session: str | None = None
    profile: str | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """What is meant.

    Args:
        memories: in any status.
        messages: each at its first occurrence.
        profile: of them all.
        phrase: the phrase that they contain, if it was asked for by one.
        session: the session that they are of, if it was asked for.
    """

    memories: tuple[MemoryItem, ...] = ()
    messages: tuple[StoredMessage, ...] = ()
    profile: str = ""
    phrase: str | None = None
    session: str | None = field(default=None)

    def __bool__(self) -> bool:
        return bool(self.memories or self.messages)


def select(connection: Connection, wanted: Wanted, here: str, *, echoes: bool) -> Selection:
    """Find what is meant.

    Args:
        connection: the store.
        wanted: what is asked for.
        here: the profile in which a phrase or session is looked for.
        echoes: with a memory, also the messages that it was drawn from, and whatever else says its value.

    Raises:
        NotFound: there is nothing of the kind.
        UsageError: several things are meant, or none or several of the four are given.
    """
    given = [value for value in (wanted.id, wanted.query, wanted.session, wanted.profile) if value is not None]
    if len(given) != 1:
        raise UsageError("Say what is meant in one way", "Give an ID, or --query, or --session, or --profile alone.")
    if wanted.id is not None:
        return _by_id(connection, wanted.id, echoes=echoes)
    if wanted.query is not None:
        return _by_phrase(connection, wanted.query, here)
    if wanted.session is not None:
        return _by_session(connection, wanted.session, here)
    profile = sessions.exact_profile(connection, wanted.profile or "")
    return Selection(tuple(_memories(connection, profile)), tuple(_messages(connection, profile)), profile)


def _by_id(connection: Connection, start: str, *, echoes: bool) -> Selection:
    found = find(connection, start)
    if not isinstance(found, MemoryItem):
        return Selection((), (found[0],), found[0].profile)
    if not echoes:
        return Selection((found,), (), found.profile)
    return _with_echoes(connection, found)


def _with_echoes(connection: Connection, item: MemoryItem) -> Selection:
    profile = item.profile
    value = statements.read(item.content)
    own = set(statements.digests(profile, item.topic_key, item.content))
    same = [
        other
        for other in _memories(connection, profile)
        if other.id == item.id
        or own & set(statements.digests(profile, other.topic_key, other.content))
        or _echoes(value, other.content)
    ]
    places = memories.places_of(connection, [other.id for other in same])
    drawn_from = {(place[0], place[1]) for of_one in places.values() for place in of_one}
    # A number may be written with commas, and a stem may end otherwise than its word.
    telling = [mark for mark in value.marks if not mark.isdigit()]
    if not value.marks:
        telling = [word[:-1] for word in value.words if len(word) > 3]
    telling.sort(key=len, reverse=True)
    said = [message for message in _messages(connection, profile, telling[:1]) if _echoes(value, message.content)]
    ids = {(_session_no(message), message.id) for message in said}
    said += hiding.at_places(connection, sorted(drawn_from - ids))
    return Selection(tuple(same), tuple(said), profile)


def _echoes(value: Statement, text: str) -> bool:
    """Whether a text says a value again: all of its marks and half of its words, or a mark that tells by itself.

    Of a value without marks it must have all words.
    """
    other = statements.read(text)
    if any(len(mark) >= _TELLING for mark in value.marks & other.marks):
        return True
    if not value.marks:
        return bool(value.words) and value.words <= other.words
    return value.marks <= other.marks and 2 * len(value.words & other.words) >= len(value.words)


def _by_phrase(connection: Connection, query: str, profile: str) -> Selection:
    phrase = statements.words_of(query)
    if not phrase:
        raise UsageError(f"There are no words in {query!r}", 'Give a phrase, as in --query "staging port".')
    longest = [max(phrase, key=len)]
    said = [one for one in _messages(connection, profile, longest) if _says(one.content, phrase)]
    items = list(_memories(connection, profile))
    quotes = memories.evidence_of(connection, [item.id for item in items])
    asked = memories.queries_of(connection, [item.id for item in items])
    kept = [
        item
        for item in items
        if _says(item.content, phrase)
        or any(_says(question, phrase) for question in asked.get(item.id, ()))
        or any(_says(evidence.quote, phrase) for evidence in quotes.get(item.id, ()))
    ]
    if not kept and not said:
        raise NotFound(f"Nothing in profile {profile} contains {query!r}", "`agentmem recall` finds by meaning.")
    return Selection(tuple(kept), tuple(said), profile, phrase=query)


def _says(text: str, phrase: Sequence[str]) -> bool:
    words = statements.words_of(text)
    first = phrase[0]
    many = len(phrase)
    return any(word == first and words[place : place + many] == list(phrase) for place, word in enumerate(words))


def _by_session(connection: Connection, start: str, profile: str) -> Selection:
    found = sessions.begin_with(connection, start)
    here = [one for one in found if one[1] == profile] or found
    if not here:
        raise NotFound(f"There is no session {start!r}", "`agentmem show ID` tells a message's session.")
    exact = [one for one in here if one[2] == start] or here
    if len(exact) > 1:
        some = ", ".join(sorted(one[2] for one in exact)[:6])
        raise UsageError(f"{len(exact)} sessions are meant by {start!r}", f"Say which: {some}.")
    no, owner, identity = exact[0]
    said = hiding.of_session(connection, no)
    items = purging.drawn_only_from(connection, no)
    return Selection(tuple(items), tuple(said), owner, session=identity)


def _memories(connection: Connection, profile: str) -> Iterable[MemoryItem]:
    return memories.select(connection, memories.Filter(profiles=(profile,), statuses=()))


def _messages(connection: Connection, profile: str, words: Sequence[str] = ()) -> Iterable[StoredMessage]:
    """The messages of a profile that contain some words (or a stem of theirs), each once."""
    return hiding.containing(connection, profile, [fold(word) for word in words])


def _session_no(message: StoredMessage) -> int:
    return message.slot // messages.SESSION_STEP

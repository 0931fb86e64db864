"""Taking back what was done.

An *action* is all that one command did. Its entries in the journal say what was before and after, and each is taken
back by what its entry is about; the newest entry goes first. Taking back is itself an action, so it shows in the log
and can be taken back in turn. Either all of an action is taken back or nothing.

Contract for whoever changes memories: make the change inside

    with states.recorded(connection, "compact", "merge", ids, action=action) as watched:
        …                       # change, add (then `watched.add(id)`), remove; bury and unbury

with one `journal.Action()` for all that the command does. Nothing else is needed to make an operation undoable: fields,
status, evidence, search queries and tombstones are compared before and after. `REVERSERS` has a way back for each thing
that an entry can be about; an operation that cannot be taken back is named in `FINAL` with the reason.

What is *not* there to be undone: when a memory was last recalled, and what is owed (vectors, model work).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from agentmem.errors import AgentmemError, NotFound, UsageError
from agentmem.store import journal, messages, sessions, states, withdraw
from agentmem.store.fulltext import Terms
from agentmem.store.journal import LINES, MEMORY, MESSAGE, SESSION, TOMBSTONE, Entry, Written
from agentmem.store.messages import slot_of
from agentmem.store.store import Connection

Reverser = Callable[[Connection, Written, Terms], None]
"""Takes one entry back, inside a writing transaction. Raises `AgentmemError` where something else stands in the way."""

FINAL: dict[str, str] = {
    "purge": "purged values are deleted for good, and nothing is left to bring back",
    "contradict": "it only notes that two memories disagree, which `agentmem review` settles",
    "settle": "it only notes that a person looked at two memories that disagree",
    "scrub": "the secrets that it took out are gone from every file",
    "delete profile": "nothing of a deleted profile is left to bring back",
    "import": "what an import brings in is only counted; `agentmem restore` goes back to a backup",
}
"""Operations that cannot be taken back, and why."""

QUIET = ("capture", "work", "model")
"""Actors that nobody sees at work; `undo` without a number passes them over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """An action, as the log shows it.

    Args:
        no: its number.
        at: when it began.
        actor: who did it.
        operation: what was done, by its first entry.
        entries: all of them.
        undoes: the action that it takes back.
        undone_by: the action that took it back.
        final: why it cannot be taken back; empty if it can.
    """

    no: int
    at: datetime | None
    actor: str
    operation: str
    entries: tuple[Written, ...]
    undoes: int | None = None
    undone_by: int | None = None
    final: str = ""


def deeds(connection: Connection, wanted: journal.Wanted, limit: int | None = None) -> tuple[Deed, ...]:
    """The actions that are meant, newest first."""
    undone = journal.undone(connection)
    grouped: dict[int, list[Written]] = {}
    for entry in journal.entries(connection, wanted, limit):
        grouped.setdefault(entry.no if entry.action is None else entry.action, []).append(entry)
    return tuple(_deed(no, entries, undone.get(no)) for no, entries in sorted(grouped.items(), reverse=True))


def _deed(no: int, entries: Sequence[Written], undone_by: int | None) -> Deed:
    first = entries[0]
    return Deed(
        no=no,
        at=first.at,
        actor=first.actor,
        operation=first.operation,
        entries=tuple(entries),
        undoes=first.undoes,
        undone_by=undone_by,
        final=next(filter(None, map(_final, entries)), ""),
    )


def _final(entry: Written) -> str:
    if entry.action is None:
        return "an older agentmem did it, which noted too little"
    if entry.about == SESSION and entry.operation == "undo":
        return "messages that were taken out are not kept: read their transcript again"
    return FINAL.get(entry.operation, "")


def meant(
    connection: Connection,
    *,
    last: int | None = None,
    since: datetime | None = None,
    actions: Sequence[int] = (),
    profiles: Sequence[str] = (),
) -> tuple[Deed, ...]:
    """The actions to take back, newest first.

    Args:
        connection: the store.
        last: the last so many that were not taken back, without those of `QUIET` actors.
        since: all of those since then.
        actions: these, whoever did them.
        profiles: of which `last` and `since` speak; empty: of all.

    Raises:
        NotFound: there is no such action, or none that could be taken back.
        UsageError: one of those named was taken back before.
    """
    if actions:
        found = {deed.no: deed for deed in deeds(connection, journal.Wanted(actions=actions))}
        for no in actions:
            if no not in found:
                raise NotFound(f"There is no action e{no}", "`agentmem log` shows all.")
            if found[no].undone_by is not None:
                raise UsageError(f"e{no} is undone already", f"`agentmem undo e{found[no].undone_by}` does it again.")
        return tuple(found[no] for no in sorted(set(actions), reverse=True))
    known = deeds(connection, journal.Wanted(since=since, profiles=profiles))
    open_ones = [d for d in known if d.undone_by is None and d.undoes is None and d.actor not in QUIET]
    chosen = open_ones if last is None else open_ones[:last]
    if not chosen:
        raise NotFound("There is nothing to undo", "`agentmem log` shows all; `agentmem undo ENTRY` takes any of it.")
    return tuple(chosen)


def undo(connection: Connection, wanted: Sequence[Deed], terms: Terms) -> tuple[Deed, ...]:
    """Take actions back, inside a writing transaction; the newest first.

    Returns:
        The actions that did it, in the same order.

    Raises:
        AgentmemError: one cannot be taken back, or what it did was changed since; nothing is changed then.
    """
    done = []
    for deed in sorted(wanted, key=lambda one: -one.no):
        if deed.final:
            raise AgentmemError(f"e{deed.no} ({deed.operation}) cannot be undone: {deed.final}", "")
        action = journal.Action(undoes=deed.no)
        for entry in reversed(deed.entries):
            REVERSERS[entry.about](connection, entry, terms)
        _sound(connection, deed)
        back = [
            Entry("undo", e.profile, e.subject, before=e.after, after=e.before, about=e.about)
            for e in reversed(deed.entries)
        ]
        journal.write(connection, "user", back, action)
        for profile in {entry.profile for entry in deed.entries}:
            sessions.drop_empty_profile(connection, profile)
        done.append(deeds(connection, journal.Wanted(actions=[action.no or 0]))[0])
    return tuple(done)


def slots_of(wanted: Sequence[Deed]) -> list[int]:
    """The slots that taking these actions back sets free for other messages."""
    return [
        slot_of(entry.after["session_no"], entry.after["first"] + place)
        for deed in wanted
        for entry in deed.entries
        if entry.about == SESSION and entry.after and not deed.final
        for place in range(entry.after["messages"])
    ]


def _memory(connection: Connection, entry: Written, terms: Terms) -> None:
    if states.differs(connection, entry.subject, entry.after):
        raise _in_the_way(connection, entry)
    states.restore(connection, entry.subject, entry.before, entry.after, terms)
    if entry.profile:
        sessions.ensure_profile(connection, entry.profile)


def _message(connection: Connection, entry: Written, terms: Terms) -> None:
    before = entry.before or {}
    if not withdraw.is_stored(connection, before["session_no"], entry.subject):  # a fork keeps it now
        raise _in_the_way(connection, entry)
    if before.get("forgotten"):
        messages.forget(connection, before["session_no"], entry.subject)
    else:
        withdraw.unhide(connection, before["session_no"], entry.subject, terms)


def _session(connection: Connection, entry: Written, terms: Terms) -> None:
    del terms
    after = entry.after or {}
    place = sessions.places(connection, [(entry.profile, entry.subject)]).get((entry.profile, entry.subject))
    if place is None or place.next_seq != after["first"] + after["messages"]:
        raise _in_the_way(connection, entry)
    withdraw.withdraw(connection, after["session_no"], after["first"], entry.before)


def _lines(connection: Connection, entry: Written, terms: Terms) -> None:
    if not withdraw.move_back(connection, entry.before or {}, entry.after or {}, terms):
        raise _in_the_way(connection, entry)


def _tombstone(connection: Connection, entry: Written, terms: Terms) -> None:
    del terms
    states.restore_tombstone(connection, entry.before, entry.after)


REVERSERS: Mapping[str, Reverser] = {
    MEMORY: _memory,
    MESSAGE: _message,
    SESSION: _session,
    TOMBSTONE: _tombstone,
    LINES: _lines,
}
"""The way back for each thing that an entry of the journal can be about."""


def _in_the_way(connection: Connection, entry: Written) -> AgentmemError:
    own = journal.entries(connection, journal.Wanted(actions=[entry.action or 0]))
    said_in = [one.subject for one in own if one.about in (SESSION, LINES)]  # whose lines a fork may have taken since
    later = [no for no in journal.since(connection, [entry.subject, *said_in], entry.no) if no != entry.action]
    undone = journal.undone(connection)
    later = [no for no in later if no not in undone and no not in undone.values()]
    what = f"e{entry.action} cannot be undone: the {entry.about} {entry.subject[:8]} changed since"
    return AgentmemError(what, f"`agentmem undo {' '.join(f'e{no}' for no in later)}` first." if later else "")


def _sound(connection: Connection, deed: Deed) -> None:
    """Make sure that what is left fits together.

    Raises:
        AgentmemError: another memory holds the topic now, or is supported by, or points to, what would be taken away.
    """
    ids = [entry.subject for entry in deed.entries if entry.about == MEMORY]
    rival = states.rival(connection, ids)
    if rival is not None:
        raise AgentmemError(
            f"e{deed.no} ({deed.operation}) cannot be undone: memory {rival[:8]} holds that topic now",
            f"`agentmem log {rival[:8]}` shows what to undo first.",
        )
    orphan = states.orphan(connection, ids, [entry.subject for entry in deed.entries if entry.about == SESSION])
    if orphan is not None:
        raise AgentmemError(
            f"e{deed.no} ({deed.operation}) cannot be undone: memory {orphan[:8]} rests on it",
            f"`agentmem log {orphan[:8]}` shows what to undo first.",
        )

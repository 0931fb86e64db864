"""Stage: what new memories do to those that are there. Pure: values in, a plan out.

One topic key of one profile has one active memory. Said later, a new value supersedes the old one, which stays, points
to its successor and can be asked for. Said earlier (an old transcript read after a new one) it is stored as superseded
at once, and so is what somebody less trusted says: an agent does not overrule a person. The same value said again is
more evidence; said again after another value had replaced it, it is reinstated. What was forgotten stays forgotten,
however often it is said.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from agentmem.domain.memories import MemoryItem, Status
from agentmem.domain.messages import Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A memory that extraction proposes, with its support.

    Args:
        item: the memory, as it would be stored.
        said_at: when it was said: the message's time, else now.
        support: the words in a message that support it; None for what a person told agentmem directly.
        search_queries: questions that it answers.
        buried: whether its value has a tombstone.
        replaces: the id of a stored memory without a topic that this one brings up to date.
        grave: the forgotten memory whose value it is, in these or other words.
    """

    item: MemoryItem
    said_at: datetime
    support: "Words | None" = None
    search_queries: tuple[str, ...] = ()
    buried: bool = False
    replaces: str | None = None
    grave: str | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """An exact quote, and the message that it stands in."""

    session_no: int
    message_id: str
    quote: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that is stored already.

    Args:
        item: the memory.
        last_said: when it was said last.
        supports: (session number, message id, time) of its evidence.
    """

    item: MemoryItem
    last_said: datetime | None
    supports: Collection[tuple[int, str, datetime | None]] = ()


@dataclass(slots=True)
class Plan:
    """What is to be written.

    Args:
        added: new memories with their final status, and their search queries.
        changed: (before, after) of stored memories whose status or validity changes.
        supports: new evidence by memory id.
        refused: proposals whose value was forgotten.
    """

    added: dict[str, tuple[MemoryItem, tuple[str, ...]]] = field(default_factory=dict)
    changed: dict[str, tuple[MemoryItem, MemoryItem]] = field(default_factory=dict)
    supports: list[tuple[str, Words]] = field(default_factory=list)
    refused: int = 0


STRENGTH = {Trust.LOW: 0, Trust.MEDIUM: 1, Trust.HIGH: 2}
"""How much each kind of trust counts, to compare two."""


def supersede(known: Iterable[Known], proposals: Iterable[Proposal]) -> Plan:
    """Work out what to write.

    Args:
        known: the stored memories that have an id or a topic key of one of the proposals.
        proposals: in the order in which they were said; only of messages that were not settled before.
    """
    return _Ledger(known).settle(proposals)


class _Ledger:
    def __init__(self, known: Iterable[Known]) -> None:
        self._stored: Mapping[str, Known] = {one.item.id: one for one in known}
        self._items = {key: one.item for key, one in self._stored.items()}
        self._last_said = {key: one.last_said or one.item.valid_from for key, one in self._stored.items()}
        self._supports = {(key, *place) for key, one in self._stored.items() for place in one.supports}
        self._holders = {
            (item.profile, item.topic_key): item.id
            for item in self._items.values()
            if item.topic_key and item.status is Status.ACTIVE
        }
        self._queries: dict[str, tuple[str, ...]] = {}
        self._plan = Plan()

    def settle(self, proposals: Iterable[Proposal]) -> Plan:
        for proposal in proposals:
            self._take(proposal)
        for key, item in self._items.items():
            if key not in self._stored:
                self._plan.added[key] = (item, self._queries[key])
            elif item != self._stored[key].item:
                self._plan.changed[key] = (self._stored[key].item, item)
        return self._plan

    def _take(self, proposal: Proposal) -> None:
        item = self._items.get(proposal.item.id)
        if proposal.buried or (item is not None and item.status is Status.FORGOTTEN):
            self._plan.refused += 1
            grave = proposal.grave if item is None else item.id
            # The words support what was forgotten, so that recall can leave them out as well.
            if proposal.support is not None and grave is not None and grave in self._stored:
                self._support(grave, proposal.support)
            return
        item = self._merged_into(item)
        if proposal.support is not None:
            self._support(item.id if item else proposal.item.id, proposal.support)
        if item is not None and item.status is Status.REJECTED:  # saying it again is evidence, and no second thought
            return
        if item is None:
            item = proposal.item
            self._queries[item.id] = proposal.search_queries
            self._items[item.id] = replace(item, status=Status.SUPERSEDED)  # until it holds its place
        elif item.status is Status.ACTIVE:
            self._note(item.id, proposal.said_at)
            return
        self._claim(self._items[item.id], proposal.said_at)
        self._note(item.id, proposal.said_at)
        if proposal.replaces is not None and proposal.replaces != item.id:
            self._replace(proposal.replaces, item.id, proposal.said_at)

    def _merged_into(self, item: MemoryItem | None) -> MemoryItem | None:
        """The memory that stands for one that was merged: without a topic of its own, only merging supersedes it."""
        if item is None or item.topic_key or item.status is not Status.SUPERSEDED:
            return item
        survivor = self._items.get(item.superseded_by or "")
        return survivor if survivor is not None and survivor.status is Status.ACTIVE else item

    def _support(self, key: str, words: Words) -> None:
        place = (key, words.session_no, words.message_id, words.at)
        if place not in self._supports:
            self._supports.add(place)
            self._plan.supports.append((key, words))

    def _note(self, key: str, said_at: datetime) -> None:
        last = self._last_said.get(key)
        self._last_said[key] = said_at if last is None else max(last, said_at)

    def _replace(self, old: str, new: str, said_at: datetime) -> None:
        """Let one memory take another's place, unless that one was said later, or by somebody more trusted."""
        holder, item = self._items.get(old), self._items[new]
        if holder is None or holder.status is not Status.ACTIVE or item.status is not Status.ACTIVE:
            return
        held_since = self._last_said.get(old)
        if STRENGTH[item.trust] < STRENGTH[holder.trust]:
            return
        if held_since is not None and held_since > said_at:
            old, new, holder = new, old, item
        self._items[old] = replace(holder, status=Status.SUPERSEDED, superseded_by=new)

    def _claim(self, item: MemoryItem, said_at: datetime) -> None:
        """Make an item the active one of its topic, unless the one that is was said later."""
        place = (item.profile, item.topic_key or "")
        holder = self._holders.get(place) if item.topic_key else None
        if holder is not None:
            held_since = self._last_said.get(holder)
            later = held_since is not None and held_since > said_at
            if later or STRENGTH[item.trust] < STRENGTH[self._items[holder].trust]:
                self._items[item.id] = replace(item, superseded_by=holder)
                return
            self._items[holder] = replace(self._items[holder], status=Status.SUPERSEDED, superseded_by=item.id)
        self._items[item.id] = replace(item, status=Status.ACTIVE, superseded_by=None, valid_from=said_at)
        if item.topic_key:
            self._holders[place] = item.id

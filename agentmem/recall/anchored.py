"""Is the code that a memory names still what it was? Told by git, offline; nothing is said where it cannot tell.

*Fresh*: nothing that the memory names changed since the commit at which it was noted. *Drifted*: some of these files
did. *Orphaned*: all that it names is gone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from agentmem import repository
from agentmem.domain.recall import Hit
from agentmem.store.anchors import COMMIT, FILE, Anchor

_MOST = 12  # memories looked at for one answer

Changed = Callable[[str, str], dict[str, str] | None]
"""`repository.changed_since`, or a copy of it that remembers."""


def mark(hits: Sequence[Hit], anchors: Mapping[str, Sequence[Anchor]]) -> tuple[Hit, ...]:
    """The hits, those with anchors marked."""
    if not anchors:
        return tuple(hits)
    changed = cache(repository.changed_since)
    told = {memory: state(own, changed) for memory, own in list(anchors.items())[:_MOST]}
    return tuple(replace(hit, marks=(*hit.marks, words)) if (words := told.get(hit.id)) else hit for hit in hits)


def state(anchors: Sequence[Anchor], changed_since: Changed = repository.changed_since) -> str | None:
    """`fresh`, `drifted: 2 of 3 files changed`, `orphaned: … is gone`; None where git cannot tell."""
    files: set[str] = set()
    touched: set[str] = set()
    gone: list[str] = []
    there = 0
    for anchor in anchors:
        if anchor.kind == COMMIT:
            known = repository.contains(anchor.root, anchor.name)
            if known is None:
                continue
            there += known
            gone += [] if known else [anchor.name]
            continue
        changes = changed_since(anchor.root, anchor.head)
        if changes is None:
            continue
        if anchor.kind == FILE:
            own: Sequence[str] = (anchor.name,)
            is_gone = changes.get(anchor.name) == "D"
        else:
            own = repository.mentions(anchor.root, anchor.name, anchor.head) or ()
            now = repository.mentions(anchor.root, anchor.name)
            is_gone = now is not None and not now
        files.update(own)
        touched.update(file for file in own if file in changes)
        there += not is_gone
        gone += [anchor.name] if is_gone else []
    if not there and not gone:
        return None
    if not there:
        return f"orphaned: {', '.join(gone[:3])} {'is' if len(gone) == 1 else 'are'} gone"
    if touched or gone:
        return f"drifted: {len(touched) or len(gone)} of {len(files) or len(gone) + there} files changed"
    return "fresh"

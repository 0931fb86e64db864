"""What the tools take and give, as JSON Schema, and the check of what an agent hands over.

The schemas keep to what every client knows: an object of plain properties, no references, no alternatives.
"""

from collections.abc import Mapping
from typing import Any

from agentmem.domain.memories import MemoryKind
from agentmem.domain.text import BRIEFING_TOKENS
from agentmem.errors import UsageError

Schema = dict[str, Any]

_PROFILE: Schema = {
    "type": "string",
    "minLength": 1,
    "maxLength": 200,
    "description": "Another project's profile, by name or unique beginning, or `user` for what holds in every project. "
    "Left out: the project that is being worked in, which is nearly always right.",
}
_KINDS: Schema = {
    "type": "array",
    "items": {"type": "string", "enum": [kind.value for kind in MemoryKind]},
    "description": "Only memories of these kinds.",
}
_SINCE: Schema = {"type": "string", "description": "Nothing older: 2026-04-10, 7d, 'last week'."}
_AS_OF: Schema = {"type": "string", "description": "What was true then, as 2026-04-10; left out: what is true now."}
_UNTIL: Schema = {"type": "string", "description": "Nothing as new as this."}


def takes(properties: Schema, *required: str) -> Schema:
    """The schema of arguments."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


RECALL = takes(
    {
        "query": {
            "type": "string",
            "minLength": 1,
            "maxLength": 4_000,
            "description": "The question in plain words, in any language, with the names that matter.",
        },
        "limit": {"type": "integer", "minimum": 1, "maximum": 30, "description": "How many hits; 8 unless said."},
        "kinds": _KINDS,
        "since": _SINCE,
        "until": _UNTIL,
        "no_llm": {
            "type": "boolean",
            "description": "Ask no language model on this machine: the ranked memories alone, at once.",
        },
        "budget_ms": {
            "type": "integer",
            "minimum": 0,
            "maximum": 120_000,
            "description": "How long the user's own language model, if there is one, may take to put an answer into "
            "words; 3,000 unless said. The ranked memories come in any case.",
        },
        "as_of": _AS_OF,
        "profile": _PROFILE,
    },
    "query",
)
REMEMBER = takes(
    {
        "text": {
            "type": "string",
            "minLength": 1,
            "maxLength": 10_000,
            "description": "One self-contained sentence that will still be clear in a year: names, versions, dates "
            "written out, no 'it' or 'yesterday', no secrets.",
        },
        "kind": {
            "type": "string",
            "enum": [kind.value for kind in MemoryKind],
            "description": "fact: how things are; instruction: how the user wants work done; event: what happened; "
            "task: what is to be done. Left out: the words tell.",
        },
        "topic_key": {
            "type": "string",
            "maxLength": 200,
            "description": "What it is about, as project.package_manager: the newest memory on a topic replaces the "
            "one before.",
        },
        "importance": {"type": "number", "minimum": 0, "maximum": 1, "description": "How much it matters."},
        "profile": {**_PROFILE, "description": "`user` if it holds in every project; left out: this project."},
    },
    "text",
)
FORGET = takes(
    {
        "id": {
            "type": "string",
            "pattern": "^[0-9a-fA-F]{4,32}$",
            "description": "The id of the memory or message, or its first digits, as recall and list show it.",
        }
    },
    "id",
)
LIST = takes(
    {
        "kinds": _KINDS,
        "since": _SINCE,
        "until": _UNTIL,
        "as_of": _AS_OF,
        "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "How many; 30 unless said."},
        "all": {"type": "boolean", "description": "Also superseded, expired and forgotten memories."},
        "profile": _PROFILE,
    }
)
CONTEXT = takes(
    {
        "query": {"type": "string", "maxLength": 4_000, "description": "What the session is about, if that is known."},
        "budget": {
            "type": "integer",
            "minimum": 100,
            "maximum": BRIEFING_TOKENS,
            "description": "How many tokens it may cost; 2,000 unless said.",
        },
        "profile": _PROFILE,
    }
)

_TEXT: Schema = {"type": "string"}
_MAYBE: Schema = {"type": ["string", "null"]}


def gives(properties: Schema) -> Schema:
    """The schema of a result whose fields are all there; more may come with a later version."""
    return {"type": "object", "properties": properties, "required": list(properties)}


_ABOUT: Schema = {"type": "string", "description": "What this is, and how far to trust it."}
MEMORY = gives(
    {
        "id": _TEXT,
        "kind": _TEXT,
        "content": _TEXT,
        "since": _MAYBE,
        "status": _TEXT,
        "pinned": {"type": "boolean"},
        "reason": _MAYBE,
        "trust": _TEXT,
        "profile": _TEXT,
        "topic_key": _MAYBE,
    }
)
HIT = gives(
    {
        "id": _TEXT,
        "type": _TEXT,
        "kind": _MAYBE,
        "content": _TEXT,
        "day": _MAYBE,
        "trust": _MAYBE,
        "status": _MAYBE,
        "marks": {"type": "array", "items": _TEXT, "description": "How far to believe it, as `unconfirmed`."},
        "reason": {**_MAYBE, "description": "Why it was rejected."},
        "said_by": _MAYBE,
        "profile": _TEXT,
    }
)
RECALLED = gives(
    {
        "about": _ABOUT,
        "profile": _TEXT,
        "answer": _MAYBE,
        "answered_by": {"type": ["string", "null"], "description": "`rule` (the calendar), or a model's name."},
        "hits": {"type": "array", "items": HIT},
        "left_out": {"type": "integer", "description": "Hits that did not fit."},
    }
)
REMEMBERED = gives({"memory": MEMORY, "note": _TEXT})
FORGOTTEN = gives({"id": _TEXT, "type": _TEXT, "note": _TEXT})
LISTED = gives(
    {
        "about": _ABOUT,
        "profile": _TEXT,
        "memories": {"type": "array", "items": MEMORY},
        "left_out": {"type": "integer", "description": "Memories that did not fit."},
    }
)
BRIEFED = gives({"profile": _TEXT, "text": _TEXT, "tokens": {"type": "integer"}})


def checked(given: Mapping[str, Any] | None, schema: Schema) -> dict[str, Any]:
    """The arguments, if they are as the schema says. One that is null counts as left out: some models fill in all.

    Raises:
        UsageError: they are not; the message says which and why.
    """
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    arguments = {name: value for name, value in (given or {}).items() if value is not None}
    wrong = best_match(Draft202012Validator(schema).iter_errors(arguments))
    if wrong is not None:
        where = ".".join(map(str, wrong.absolute_path))
        known = ", ".join(schema["properties"])
        reason = wrong.message if len(wrong.message) <= 300 else wrong.message[:299] + "…"
        raise UsageError(f"{where}: {reason}" if where else reason, f"The tool takes {known}.")
    return arguments

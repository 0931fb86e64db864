"""agentmem: local, private, long-term memory for coding agents.

The names below are the public ones; everything else may change. They are loaded when first used, because the
command line imports this package and must start quickly.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from agentmem.version import __version__

if TYPE_CHECKING:
    from agentmem.config import Config
    from agentmem.domain.memories import Evidence, MemoryItem, MemoryKind, Status
    from agentmem.domain.messages import Message, MessageKind, Role, Trust
    from agentmem.domain.recall import Answer, Hit, Part
    from agentmem.errors import (
        AgentmemError,
        BadInput,
        ConfigError,
        ModelMismatch,
        ModelUnavailable,
        NotFound,
        StoreBusy,
        StoreDamaged,
        StoreTooNew,
        UsageError,
    )
    from agentmem.memory import Memory

_HOMES = {
    "agentmem.config": ("Config",),
    "agentmem.domain.memories": ("Evidence", "MemoryItem", "MemoryKind", "Status"),
    "agentmem.domain.messages": ("Message", "MessageKind", "Role", "Trust"),
    "agentmem.domain.recall": ("Answer", "Hit", "Part"),
    "agentmem.errors": (
        "AgentmemError",
        "BadInput",
        "ConfigError",
        "ModelMismatch",
        "ModelUnavailable",
        "NotFound",
        "StoreBusy",
        "StoreDamaged",
        "StoreTooNew",
        "UsageError",
    ),
    "agentmem.memory": ("Memory",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AgentmemError",
    "Answer",
    "BadInput",
    "Config",
    "ConfigError",
    "Evidence",
    "Hit",
    "Memory",
    "MemoryItem",
    "MemoryKind",
    "Message",
    "MessageKind",
    "ModelMismatch",
    "ModelUnavailable",
    "NotFound",
    "Part",
    "Role",
    "Status",
    "StoreBusy",
    "StoreDamaged",
    "StoreTooNew",
    "Trust",
    "UsageError",
    "__version__",
]


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'agentmem' has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)

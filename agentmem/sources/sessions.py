"""Names for sessions whose transcript gives none."""

from datetime import datetime

from agentmem.domain.ids import digest
from agentmem.domain.messages import Role


def session_name(name: str, role: Role, content: str, at: datetime | None) -> str:
    """A session id made of the input's name and its first message.

    It stays the same while the file grows, and differs between two inputs that share a name, as all of standard input
    does.
    """
    return f"{name}-{digest(role, content, at.isoformat() if at else '')[:8]}"

"""One tree of errors; each class knows its exit code and what the user can do next.

AgentmemError                 1  anything that agentmem itself reports
├── UsageError                2  the call does not make sense
├── StoreBusy                 3  another process holds the database
├── BadInput                  4  a file or stream could not be read as a transcript
├── NotFound                  1  no such memory, message, session or profile
├── StoreTooNew               1  a newer agentmem wrote this store
├── StoreDamaged              1  the database cannot be opened
├── UpgradeFailed             1  the store could not be brought up to date; it is as it was
├── ModelMismatch             1  the store's vectors come from another embedding model
├── ModelUnavailable          1  a model cannot be loaded or reached
│   └── NoAnswerInTime        1  a language model was reached, but took too long
├── BadReply                  1  a language model answered, but not what it was asked for
└── ConfigError               1  the configuration file is wrong

Only the door of the command line (`agentmem.cli.door`) turns them into words and an exit code.
"""


class AgentmemError(Exception):
    """Base of all errors that agentmem raises on purpose.

    Args:
        message: what happened, and to which file or item.
        hint: what to do next; one sentence, or empty.
    """

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class OpenToOthers(UserWarning):
    """Other users could look into the store; its rights were set right."""


class UsageError(AgentmemError):
    """The call does not make sense: an unknown kind, a date that cannot be read."""

    exit_code = 2


class StoreBusy(AgentmemError):
    """Another process holds the database and did not let go in time.

    Args:
        message: which database.
        holder: the process that holds it, as far as the system tells.
    """

    exit_code = 3

    def __init__(self, message: str, holder: str = "") -> None:
        by = f"; it is held by {holder}" if holder else ""
        super().__init__(message + by, "It frees itself when that process is done: try again in a moment.")
        self.holder = holder


class BadInput(AgentmemError):
    """A file or stream could not be read as a transcript."""

    exit_code = 4


class NotFound(AgentmemError):
    """No memory, message, session or profile of that name."""


class StoreTooNew(AgentmemError):
    """The store was written by a newer agentmem; it has not been touched."""


class StoreDamaged(AgentmemError):
    """The database exists but cannot be opened."""


class UpgradeFailed(AgentmemError):
    """The store could not be brought up to date; it is as it was."""


class ModelMismatch(AgentmemError):
    """The store's vectors come from another embedding model than the one asked for."""


class ModelUnavailable(AgentmemError):
    """The embedding model cannot be loaded on this machine, or the language model's server cannot be reached."""


class NoAnswerInTime(ModelUnavailable):
    """A language model took longer for an answer than it may."""


class BadReply(AgentmemError):
    """A language model answered, but not with what it was asked for."""


class ConfigError(AgentmemError):
    """The configuration file cannot be read, or a value in it makes no sense."""

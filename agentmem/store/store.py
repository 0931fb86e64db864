"""The store of one home: opens the database in the right state, for reading or for one transaction."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

import duckdb

from agentmem.config import Config
from agentmem.errors import OpenToOthers
from agentmem.paths import Home, make_private, make_private_file, make_private_folder
from agentmem.redaction.key import store_key
from agentmem.store import migrations
from agentmem.store.connection import Database
from agentmem.store.engine import nothing
from agentmem.store.rewrite import rewrite

if TYPE_CHECKING:
    from agentmem.redaction.redactor import Redactor

Connection = duckdb.DuckDBPyConnection
"""What a context of `Store` gives; the floors above hand it to the modules of this one and never look inside."""


class Store:
    """Everything that is stored under one home.

    Args:
        home: where it lives.
        config: the settings in force: how long to wait for others, how much memory to use.
    """

    def __init__(self, home: Home, config: Config) -> None:
        self.home = home
        self.config = config
        self._database = Database(home.database, home.gate, patience=config.patience, memory_limit=config.memory_limit)

    @property
    def database(self) -> Database:
        """The database file and the turns that are taken on it, for what copies or replaces the file."""
        return self._database

    @cached_property
    def redact(self) -> "Redactor":
        """Takes private parts and secrets out of a text; whatever is to be written goes through it first.

        Raises:
            ConfigError: a pattern in the settings is no regular expression.
        """
        make_private_folder(self.home.data)
        redactor: type[Redactor] = import_module("agentmem.redaction.redactor").Redactor  # readers do without
        return redactor(store_key(self.home.key), self.config.redact_patterns, self.config.redact_allow)

    def exists(self) -> bool:
        """Whether anything was ever stored."""
        return self._database.exists()

    def _make_private(self) -> None:
        """Shut others out of the store, and warn that they could have looked in."""
        opened = make_private(self.home)
        if opened:
            names = ", ".join(map(str, opened))
            warnings.warn(f"Other users could look into {names}; now only you can", OpenToOthers, stacklevel=4)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to read from; a store that does not exist yet reads as an empty one and is not created.

        Raises:
            StoreBusy: another process holds the store.
            StoreTooNew: a newer agentmem wrote it.
            StoreDamaged: it cannot be opened.
        """
        if not self.exists():
            with nothing() as empty:
                migrations.run(empty, *migrations.pending(empty))
                yield empty
            return
        self._make_private()
        while True:
            with self._database.reading() as connection:
                if not migrations.pending(connection):
                    yield connection
                    return
            migrations.migrate(self._database, self.home.backups)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction: committed at the end, rolled back on any exception.

        Raises:
            StoreBusy: others hold the store.
            StoreTooNew: a newer agentmem wrote it; nothing is changed.
            StoreDamaged: it cannot be opened.
        """
        make_private_folder(self.home.data)
        self._make_private()
        if not self.exists():
            migrations.migrate(self._database, self.home.backups)
        while True:
            with self._database.writing() as connection:
                if not migrations.pending(connection):
                    yield connection
                    break
            migrations.migrate(self._database, self.home.backups)
        make_private_file(self.home.database)

    def rewrite(self) -> None:
        """Write the database file anew, so that nothing that was deleted is left in it.

        Raises:
            StoreBusy: others hold the store; nothing has changed.
        """
        if self.exists():
            rewrite(self._database)

    def checkpoint(self) -> None:
        """Bring all that was written into the database file, so that its log is short."""
        if self.exists():
            with self._database.alone() as connection:
                connection.execute("CHECKPOINT")

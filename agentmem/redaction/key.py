"""The key of a store: what is hashed with it cannot be guessed by someone who has the hashes alone."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

_BYTES = 32


def store_key(file: Path) -> bytes:
    """The key in a file, which is made if it is not there; of several processes that make it, one wins.

    Raises:
        OSError: it can neither be read nor made.
    """
    try:
        return bytes.fromhex(file.read_text(encoding="ascii"))
    except FileNotFoundError:
        pass
    fresh = file.with_name(f".{file.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as stream:
        stream.write(secrets.token_hex(_BYTES))
    try:
        with suppress(FileExistsError):
            os.link(fresh, file)  # unlike a rename, it never replaces another process's key
    finally:
        fresh.unlink()
    return bytes.fromhex(file.read_text(encoding="ascii"))

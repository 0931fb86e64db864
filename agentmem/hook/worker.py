"""Starting the worker so that it outlives whatever the agent does next.

It gets a session of its own (agents kill the process group of their hooks, a closing terminal hangs up on it), no
descriptor of the agent's (an inherited pipe would hold the hook open), and `/` as its folder.

There is one worker for a store. The lock that says so is taken here and handed over to the new process as an open
descriptor, so that of many hooks at once exactly one starts a worker. The lock goes with the last process
that has the descriptor: that of a dead worker is free.
"""

import os
import sys

from agentmem.hook.place import PRIVATE_FILE, Place

HANDED_OVER = "AGENTMEM_WORKER_LOCK"
"""Names the descriptor of the lock to the worker."""

_PACKAGES = ("site-packages", "dist-packages")


def start(place: Place) -> None:
    """Start the worker unless there is one. Call it last: it gives up the folder and all descriptors but the lock's."""
    environment = own_environment(place)
    arguments = [sys.executable, "-m", "agentmem", "work", "--drain"]
    if sys.platform == "win32":
        _start_on_windows(arguments, environment)
        return
    lock = _locked(place)
    if lock is None:
        return  # it looks into the spool once more after it has let go of the lock
    os.set_inheritable(lock, True)
    os.closerange(3, lock)
    os.closerange(lock + 1, 4096)
    os.chdir("/")
    null = ((os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3))
    environment[HANDED_OVER] = str(lock)
    try:
        os.posix_spawn(sys.executable, arguments, environment, file_actions=list(null), setsid=True)
    except NotImplementedError:  # a C library that cannot begin a session while it spawns
        _start_slowly(arguments, environment, lock)


def own_environment(place: Place) -> dict[str, str]:
    """The environment of whatever the hook starts: with the guard that keeps its own hooks from being captured."""
    environment = dict(os.environ, AGENTMEM_IN_HOOK="1")
    if os.environ.get("AGENTMEM_HOME"):
        environment["AGENTMEM_HOME"] = place.data  # it may be relative to a folder that is left
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if os.path.basename(root) not in _PACKAGES:  # a checkout is found from everywhere too
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    return environment


def _locked(place: Place) -> int | None:
    """A descriptor that holds the worker's lock; None if a living process has it."""
    import fcntl

    descriptor = os.open(place.lock, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError:  # a file system without locks: the worker finds its own way
        return descriptor
    return descriptor


def _start_slowly(arguments: list[str], environment: dict[str, str], lock: int) -> None:
    import subprocess

    subprocess.Popen(  # noqa: S603 - our own program
        arguments,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(lock,),
        start_new_session=True,
    )


def _start_on_windows(arguments: list[str], environment: dict[str, str]) -> None:
    import subprocess

    flags = 0
    for name in ("DETACHED_PROCESS", "CREATE_NEW_PROCESS_GROUP", "CREATE_BREAKAWAY_FROM_JOB"):
        flags |= getattr(subprocess, name, 0)
    for wanted in (flags, flags & ~getattr(subprocess, "CREATE_BREAKAWAY_FROM_JOB", 0)):
        try:
            subprocess.Popen(  # noqa: S603 - our own program
                arguments,
                env=environment,
                cwd=os.path.abspath(os.sep),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                close_fds=True,
                creationflags=wanted,
            )
        except OSError:  # the job does not let its processes go
            continue
        return

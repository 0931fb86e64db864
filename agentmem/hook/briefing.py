"""The briefing: what `agentmem context` prints, if it prints it in time."""

import json
import os
import sys

from agentmem.hook.call import Call
from agentmem.hook.place import Place
from agentmem.hook.worker import own_environment

DEADLINE = 1.0
"""Seconds. The agent waits: later than that nothing is better than something."""

_MOST = 64 << 10


def brief(place: Place, call: Call) -> bytes:
    """One JSON object for the agent; nothing if there is none in time, or what came is something else."""
    import subprocess

    arguments = [sys.executable, "-m", "agentmem", "context", "--hook", call.agent]
    for option, value in (("session", call.session), ("cwd", call.cwd), ("event", call.name), ("source", call.source)):
        if value:
            arguments.append(f"--{option}={value}")
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            arguments,
            env=own_environment(place),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=DEADLINE,
            check=False,
        )
        given = json.loads(done.stdout) if done.returncode == 0 and len(done.stdout) <= _MOST else None
    except (subprocess.TimeoutExpired, OSError, ValueError):
        return b""
    return done.stdout.strip() if isinstance(given, dict) and given else b""


def say(words: bytes, descriptor: int = 1) -> None:
    """Print bytes as they are, whatever encoding the terminal has."""
    while words:
        words = words[os.write(descriptor, words) :]

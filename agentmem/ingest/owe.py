"""What models owe: sessions cut into pieces, as far as no piece covers them yet.

A piece ends where it is full. One that is not full and that nobody has tried yet grows with its session; once it is
paid, what comes later is another piece. So appending to a session costs what was appended, and reading it again costs
nothing.
"""

from agentmem.config import Config
from agentmem.domain.ids import digest
from agentmem.ingest.transcript import cut, room_of
from agentmem.prompts.load import load
from agentmem.store import work
from agentmem.store.store import Connection
from agentmem.store.work import Job


def owe(connection: Connection, config: Config, sessions: list[int] | None = None) -> int:
    """Note what is owed for what sessions have more than their pieces cover, inside a writing transaction.

    Args:
        connection: the transaction.
        config: names the model; where it is `none` nothing is owed, until there is one.
        sessions: the sessions that have grown; None: look at all.

    Returns: how many pieces were noted.
    """
    if config.language_model == "none":
        return 0
    jobs: list[Job] = []
    outgrown: list[Job] = []
    for growth in work.grown(connection, sessions):
        start = 0
        if growth.last is not None:
            start = growth.last.first_seq if growth.open else growth.last.last_seq + 1
            if growth.open:
                outgrown.append(growth.last)
        lines = work.lines(connection, growth.session_no, start)
        at = 0
        for count in cut([room_of(line.kind, line.size) for line in lines]):
            piece = lines[at : at + count]
            at += count
            jobs.append(
                Job(
                    stage=work.EXTRACT,
                    key=digest(
                        work.EXTRACT, growth.profile, str(growth.session_no), *(line.message_id for line in piece)
                    ),
                    version=load("extract").label,
                    model=config.model_extract,
                    profile=growth.profile,
                    session_no=growth.session_no,
                    first_seq=piece[0].seq,
                    last_seq=piece[-1].seq,
                )
            )
    work.owe(connection, jobs, instead_of=outgrown)
    return len(jobs)

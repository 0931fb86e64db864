"""The completion scripts, copied from where agentmem's package put them to where the user's own shells look."""

import sysconfig
from dataclasses import dataclass
from pathlib import Path

from agentmem.errors import AgentmemError
from agentmem.integrations.own import MARK
from agentmem.integrations.places import Machine

NAME = "completions"
"""What the scripts count as, where an agent's name stands else."""

_CHECKOUT = Path(__file__).parents[2] / "completions"


@dataclass(frozen=True, slots=True)
class Shell:
    """A shell's completion script.

    Args:
        script: its name in the source tree.
        shipped: where the package has it, below the data folder of its environment.
        variable: of the folder that the shell looks in, below `otherwise` if it is not set.
        otherwise: below the user's home.
        place: below that folder.
    """

    script: str
    shipped: str
    variable: str
    otherwise: str
    place: str


SHELLS = {
    "bash": Shell(
        "agentmem.bash",
        "share/bash-completion/completions/agentmem",
        "XDG_DATA_HOME",
        ".local/share",
        "bash-completion/completions/agentmem",
    ),
    "zsh": Shell(
        "_agentmem",
        "share/zsh/site-functions/_agentmem",
        "XDG_DATA_HOME",
        ".local/share",
        "zsh/site-functions/_agentmem",
    ),
    "fish": Shell(
        "agentmem.fish",
        "share/fish/vendor_completions.d/agentmem.fish",
        "XDG_CONFIG_HOME",
        ".config",
        "fish/completions/agentmem.fish",
    ),
}


def scripts(machine: Machine) -> dict[Path, str]:
    """The files for the shells that are here, and what belongs in them.

    Raises:
        AgentmemError: the package was installed without its scripts.
    """
    return {
        machine.folder(shell.variable, machine.home / shell.otherwise) / shell.place: _text(shell)
        for name, shell in SHELLS.items()
        if machine.find(name)
    }


def advice(machine: Machine) -> str:
    """What the user of zsh has to do: it looks in no folder of the user's by itself."""
    shell = SHELLS["zsh"]
    if not machine.find("zsh"):
        return ""
    folder = (machine.folder(shell.variable, machine.home / shell.otherwise) / shell.place).parent
    shown = str(folder).replace(str(machine.home), "~", 1)
    return f"zsh looks there if ~/.zshrc has `fpath=({shown} $fpath)` before compinit"


def _text(shell: Shell) -> str:
    for file in (Path(sysconfig.get_path("data")) / shell.shipped, _CHECKOUT / shell.script):
        if file.is_file():
            return f"{file.read_text(encoding='utf-8')}\n# {MARK}.\n"
    raise AgentmemError(
        f"The completion script {shell.script} is not in this installation", "Take it from the source of agentmem."
    )

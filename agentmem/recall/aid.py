"""What language models may do for an answer, and how long that may take."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from agentmem.config import Config
from agentmem.errors import ModelUnavailable
from agentmem.models.language import LanguageModel, ModelRole

PERSON_SECONDS = 30.0
"""How long a person waits for an answer in words."""

AGENT_SECONDS = 3.0
"""How long an agent waits that calls the tool `recall`: it can read the memories itself."""

START_SECONDS = 1.0
"""How long the start of a session waits."""

ANALYSIS_SHARE = 0.4
"""Of the time, what the analysis of the question may take at most where an answer in words is to follow."""


@runtime_checkable
class TellsLoaded(Protocol):
    """A model that knows whether it is in memory."""

    def loaded(self) -> bool:
        """Whether it could answer at once, without being read from the disk first."""


@dataclass(frozen=True, slots=True)
class Aid:
    """What language models may do.

    Args:
        analyst: what analyses the question; None: rules alone do.
        writer: what puts the answer into words; None: the memories are the answer.
        seconds: how long both may take together; what is not there by then is left out.
        warm: only a model that says it is in memory is asked.
        early: whether the embedding model is on a server too, so that it is to be asked before the database is opened.
        trouble: why there are no models although the settings name some; empty if all is well.
    """

    analyst: LanguageModel | None = None
    writer: LanguageModel | None = None
    seconds: float = 0.0
    warm: bool = False
    early: bool = False
    trouble: str = ""

    def checked(self, model: LanguageModel) -> LanguageModel:
        """The model, if it may be asked now. This may itself take a call over the network.

        Raises:
            ModelUnavailable: only a warm one may be, and this one is not, or does not tell.
        """
        if self.warm and not (isinstance(model, TellsLoaded) and model.loaded()):
            raise ModelUnavailable(f"{model.name} is not in memory, and this does not wait for it")
        return model


UNAIDED = Aid()


def helped(
    config: Config,
    choose: Callable[[ModelRole], LanguageModel | None],
    *,
    seconds: float,
    words: bool,
    warm: bool = False,
    llm: bool = True,
) -> Aid:
    """The aid that the settings name.

    Args:
        config: the settings.
        choose: gives the model of a role.
        seconds: how long it may take.
        words: whether an answer in words is wanted.
        warm: only a model that is in memory is asked.
        llm: whether any is asked at all.

    Raises:
        ConfigError: the settings name a kind of model that there is none of.
    """
    unaided = Aid(seconds=seconds, early=config.embedder == "ollama")
    if config.language_model == "none" or seconds <= 0 or not llm:
        return unaided
    try:
        writer = choose(ModelRole.SYNTHESIZE) if words else None
        return replace(unaided, analyst=choose(ModelRole.ANALYZE), writer=writer, seconds=seconds, warm=warm)
    except ModelUnavailable as error:
        return replace(unaided, trouble=error.message)

"""Channel: documents near the vector of a hypothetical answer (HyDE; Gao et al., 2022) written by a language model."""

from agentmem.domain.recall import Query
from agentmem.recall.ranking import Ranking, nothing

NAME = "hypothetical vector"


def search(_query: Query) -> Ranking:
    """Nothing, as long as there is no language model that could write a hypothetical answer."""
    return nothing(NAME, "no language model: no hypothetical answer")

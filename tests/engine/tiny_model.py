"""A language model of a third of a megabyte with random weights, for a real inference engine to serve.

It speaks words of this field in no order, calls tools about every other time, and stops soon: what an engine
then does with tools, templates and schemas is real. The same seed makes the same file.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SEED = 7
WIDTH, HIDDEN, CONTEXT = 64, 96, 131_072
HEAD = 8
"""One layer with one small head: conversations of 30,000 tokens must not take minutes."""

CONSTANT = 4.0
"""The first dimension of every embedding: through it a column of the output acts as a bias of each token."""

SCALE = 7.8
"""What the final norm makes of that constant."""

CALL, END = "[TOOL_CALLS]", "</s>"
WORDS = (
    "memory", "limit", "node", "pod", "container", "restart", "OOMKilled", "CrashLoopBackOff", "Evicted",
    "critical", "high", "medium", "low", "the", "of", "and", "was", "is", "to", "after", "deployment",
    "service", "image", "disk", "pressure", "timeout", "workflow", "increase", "scale", "drain", "root",
    "cause",
)  # fmt: skip

# A chat in the manner of the engine's own templates for models that write their calls as one JSON list.
TEMPLATE = """\
{{- bos_token }}
{%- if tools %}[AVAILABLE_TOOLS]{{ tools | tojson }}[/AVAILABLE_TOOLS]{% endif %}
{%- for message in messages %}
{%- if message.role == "assistant" and message.tool_calls %}[TOOL_CALLS][
{%- for call in message.tool_calls %}{"name": "{{ call.function.name }}", "arguments": \
{{ call.function.arguments | tojson }}, "id": "{{ call.id }}"}{% if not loop.last %}, {% endif %}
{%- endfor %}]</s>
{%- elif message.role == "assistant" %}{{ message.content }}</s>
{%- elif message.role == "tool" %}[TOOL_RESULTS]{"content": {{ message.content | tojson }}, \
"call_id": "{{ message.tool_call_id }}"}[/TOOL_RESULTS]
{%- else %}[INST]{{ message.content }}[/INST]{% endif %}
{%- endfor %}"""


class Token(NamedTuple):
    """One token, its kind, and how much it is favoured, in nats."""

    text: str
    kind: int
    favoured: float


def vocabulary(kinds: Any) -> list[Token]:
    """Return all tokens: input is read letter by letter, output is mostly words and the ends of JSON."""
    normal = kinds.NORMAL
    ends = {'"': 3.0, "}": 2.0, "]": 2.0, ",": 1.0, "0": 1.0, ".": 0.0, "e": -30, "E": -30}
    return [
        Token("<unk>", kinds.UNKNOWN, -30),
        Token("<s>", kinds.CONTROL, -30),
        Token(END, kinds.CONTROL, 3.0),
        *(Token(f"<0x{byte:02X}>", kinds.BYTE, -30) for byte in range(256)),
        *(Token(chr(code), normal, ends.get(chr(code), -4)) for code in range(33, 127)),
        Token("▁", normal, -4),
        *(Token("▁" + word, normal, 1.0) for word in WORDS),
        Token(CALL, kinds.CONTROL, 3.0),
    ]


def write(gguf: Any, path: Path, seed: int = SEED) -> None:
    """Write the model to a file by the module `gguf`, which is none of ours and has no types."""
    draw = np.random.default_rng(seed)
    tokens = vocabulary(gguf.TokenType)

    def weights(rows: int, columns: int) -> NDArray[np.float32]:
        return draw.normal(0, columns**-0.5, (rows, columns)).astype(np.float32)

    def keeping_first(rows: int, columns: int) -> NDArray[np.float32]:
        made = weights(rows, columns)
        made[0] = 0
        return made

    embedding, output = weights(len(tokens), WIDTH), weights(len(tokens), WIDTH)
    embedding[:, 0] = CONSTANT
    output[:, 0] = [each.favoured / SCALE for each in tokens]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny random words")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(1)
    writer.add_head_count_kv(1)
    writer.add_key_length(HEAD)
    writer.add_value_length(HEAD)
    writer.add_rope_dimension_count(HEAD)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("llama")
    writer.add_token_list([each.text for each in tokens])
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types([each.kind for each in tokens])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template(TEMPLATE)
    layer: dict[str, NDArray[np.float32]] = {
        "attn_norm": np.ones(WIDTH, np.float32),
        "attn_q": weights(HEAD, WIDTH),
        "attn_k": weights(HEAD, WIDTH),
        "attn_v": weights(HEAD, WIDTH),
        "attn_output": keeping_first(WIDTH, HEAD),
        "ffn_norm": np.ones(WIDTH, np.float32),
        "ffn_gate": weights(HIDDEN, WIDTH),
        "ffn_up": weights(HIDDEN, WIDTH),
        "ffn_down": keeping_first(WIDTH, HIDDEN),
    }
    writer.add_tensor("token_embd.weight", embedding)
    for name, tensor in layer.items():
        writer.add_tensor(f"blk.0.{name}.weight", tensor)
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    writer.add_tensor("output.weight", output)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()

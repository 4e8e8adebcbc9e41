"""The building blocks that many classes share: embeddings, attention per head, MLPs and experts.

Shapes follow transformers 5.24.0, ``models/*/modeling_*.py``; ``tests/data/parameters_counted.yaml`` holds the counts
of its real classes.
"""

from __future__ import annotations

from dataclasses import dataclass

from generator.derive.config.fields import Refused, layer_count
from generator.derive.parameters.reading import MOST_EXPERTS, Reading


@dataclass(frozen=True)
class Stack:
    """Width and number of a decoder's layers."""

    hidden: int
    layers: int


def stack(fields: Reading, hidden: str = "hidden_size", layers: str = "num_hidden_layers") -> Stack:
    """The two sizes that every reader begins with."""
    return Stack(fields.size(hidden), layer_count(fields, layers))


def embeddings(fields: Reading, hidden: int, *, tied: bool | None = None, head_bias: bool = False) -> None:
    """Input and output embedding; one matrix where the config (or the class, ``tied``) says so."""
    vocabulary = fields.size("vocab_size")
    fields.tied = fields.switch("tie_word_embeddings") if tied is None else tied
    fields.matrix("embedding_input", "embed_tokens", vocabulary, hidden, 1, linear=False)
    if not fields.tied:
        fields.matrix("embedding_output", "lm_head", vocabulary, hidden, 1, linear=False)
    if head_bias:
        fields.vector("embedding_output", "lm_head.bias", vocabulary, 1)


def norms(fields: Reading, at: Stack, per_layer: int, *, vectors: int = 1, final: bool = True) -> None:
    """Norms of the hidden width; LayerNorm with a bias has two ``vectors``."""
    fields.vector("norms", "layer norms", at.hidden * vectors, at.layers * per_layer)
    if final:
        fields.vector("norms", "norm", at.hidden * vectors, 1)


@dataclass(frozen=True)
class Heads:
    """Query heads, KV heads and the width of one."""

    query: int
    kv: int
    width: int


def heads(fields: Reading, hidden: int, *, quotient: bool, width: str = "head_dim") -> Heads:
    """The heads of plain attention. ``quotient``: the class divides where no width is stated.

    ``width`` is a second name of ``head_dim``.
    """
    query, kv = fields.size("num_attention_heads"), fields.size("num_key_value_heads")
    if query % kv:
        raise Refused(
            f"`num_key_value_heads` ({kv}) does not divide `num_attention_heads` ({query})", "num_key_value_heads"
        )
    names = ("head_dim", width) if width != "head_dim" else ("head_dim",)
    one = fields.any_of(*names) if quotient else fields.first_of(*names)
    if one is None:
        if hidden % query:
            raise Refused(f"`head_dim` is missing and {query} heads do not divide {hidden}", "head_dim")
        one = hidden // query
    return Heads(query, kv, one)


def attention(
    fields: Reading,
    hidden: int,
    layers: int,
    shape: Heads,
    *,
    qkv_bias: bool = False,
    o_bias: bool = False,
    qk_norm: str | None = None,
    query_factor: int = 1,
) -> None:
    """Projections of queries, keys, values and output. ``query_factor`` 2: the query brings an output gate with it.

    ``qk_norm`` is None, ``head`` (one head wide, shared by all) or ``all`` (as wide as all heads).
    """
    q, kv, width = shape.query * shape.width, shape.kv * shape.width, shape.width
    fields.matrix("attention", "q_proj", q * query_factor, hidden, layers, bias=qkv_bias)
    fields.matrix("attention", "k_proj", kv, hidden, layers, bias=qkv_bias)
    fields.matrix("attention", "v_proj", kv, hidden, layers, bias=qkv_bias)
    fields.matrix("attention", "o_proj", hidden, q, layers, bias=o_bias)
    if qk_norm:
        fields.vector("norms", "q_norm", width if qk_norm == "head" else q, layers)
        fields.vector("norms", "k_norm", width if qk_norm == "head" else kv, layers)


def mlp(
    fields: Reading,
    hidden: int,
    width: int,
    copies: int,
    *,
    gated: bool = True,
    bias: bool = False,
    component: str = "mlp_dense",
    active: int | None = None,
) -> None:
    """An MLP: gate, up and down, or up and down alone."""
    for name in ("gate_proj", "up_proj") if gated else ("up_proj",):
        fields.matrix(component, name, width, hidden, copies, active=active, bias=bias)
    fields.matrix(component, "down_proj", hidden, width, copies, active=active, bias=bias)


@dataclass(frozen=True)
class Experts:
    """Routed experts of one layer, how many of them a token visits, and their width."""

    count: int
    chosen: int
    width: int


def experts(fields: Reading, count: str, width: str, chosen: str = "num_experts_per_tok") -> Experts:
    """The routed experts as the config states them."""
    found = Experts(fields.size(count, MOST_EXPERTS), fields.size(chosen, MOST_EXPERTS), fields.size(width))
    if found.chosen > found.count:
        raise Refused(f"`{chosen}` is {found.chosen}, of {found.count} experts", chosen, count)
    return found


def routed(
    fields: Reading, hidden: int, layers: int, of: Experts, *, bias: bool = False, gated: bool = True, inner: int = 0
) -> None:
    """Router and routed experts of so many layers. ``bias``: both have one; ``inner``: the width experts work on."""
    fields.matrix("router", "gate", of.count, hidden, layers, bias=bias, linear=False)
    stored, met = layers * of.count, layers * of.chosen
    mlp(fields, inner or hidden, of.width, stored, gated=gated, bias=bias, component="experts_routed", active=met)


def shared(fields: Reading, hidden: int, layers: int, width: int, *, gate: bool = False, gated: bool = True) -> None:
    """Shared experts, all as one MLP; ``gate``: one row decides how much of it a token takes."""
    mlp(fields, hidden, width, layers, gated=gated, component="experts_shared")
    if gate:
        fields.matrix("experts_shared", "shared_expert_gate", 1, hidden, layers, linear=False)

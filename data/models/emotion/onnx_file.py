"""Write the fine-tuned MiniLM as an int8 ONNX file. Needs the package onnx (made with 1.23.2).

The graph is built here node by node, so that what is quantised, and how, can be read:

- word vectors: int8, with a scale for each word;
- the encoder's matrices: int8 with a scale for each column. Their values keep to -63..63: the sum of two
  products then fits into 16 bits, and processors without VNNI instructions find what those with them find;
- activations: uint8, scaled anew in every run, over the whole run; the reason why texts are run one by one;
- positions, biases, layer norms, the labels' layer and all sums: float.

Input `ids` (texts, tokens), all of one length; output `probabilities` (texts, labels).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper, save

Weights = Mapping[str, NDArray[np.float32]]

OPSET, IR_VERSION, RUNTIME = 18, 9, "com.microsoft"
WORD_LIMIT, MATRIX_LIMIT = 127, 63
EPSILON = 1e-12  # of BERT's layer norms


class _Graph:
    """Nodes and constants in the order they are added; every one is named by a running number."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, values: Any) -> str:
        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def weight(self, name: str) -> str:
        return self.constant(self.weights[name])

    def node(self, kind: str, *inputs: str, outputs: Sequence[str] = (), **attributes: Any) -> str:
        outputs = outputs or [f"{kind}{len(self.nodes)}"]
        self.nodes.append(helper.make_node(kind, list(inputs), list(outputs), **attributes))
        return outputs[0]

    def linear(self, x: str, matrix: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        """Add a linear layer with int8 weights, one scale for each of its outputs."""
        scales, integers = _quantised(matrix, MATRIX_LIMIT)
        zeros = np.zeros(len(scales), dtype=np.int8)
        rest = (integers.T, scales[:, 0], zeros, bias)
        return self.node("DynamicQuantizeMatMul", x, *map(self.constant, rest), domain=RUNTIME)

    def layer(self, x: str, name: str) -> str:
        return self.linear(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def norm_of_sum(self, x: str, y: str, name: str) -> str:
        scale, shift = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.node("SkipLayerNormalization", x, y, scale, shift, domain=RUNTIME, epsilon=EPSILON)


def write_onnx(weights: Weights, labels: int, heads: int, longest: int, file: Path) -> None:
    """Write the model to a file.

    Parameters
    ----------
    weights
        The state of train.Finetuned, as float arrays.
    labels, heads
        How many labels, and attention heads, it has.
    longest
        For how many tokens positions are kept.
    """
    graph = _Graph(weights)
    x = _embed(graph, longest)
    layer = 0
    while f"encoder.encoder.layer.{layer}.output.dense.weight" in weights:
        x = _transform(graph, x, f"encoder.encoder.layer.{layer}", heads)
        layer += 1
    mean = graph.node("ReduceMean", x, graph.constant(np.array([1])), keepdims=0)
    logits = graph.node("Gemm", mean, graph.weight("head.weight"), graph.weight("head.bias"), transB=1)
    graph.node("Sigmoid", logits, outputs=["probabilities"])
    wanted = helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "tokens"])
    given = helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["texts", labels])
    whole = helper.make_graph(graph.nodes, "emotions", [wanted], [given], graph.constants)
    versions = [helper.make_opsetid("", OPSET), helper.make_opsetid(RUNTIME, 1)]
    save(helper.make_model(whole, opset_imports=versions, ir_version=IR_VERSION), file)


def _embed(graph: _Graph, longest: int) -> str:
    """Add the sum of word, position and segment vectors, normalised."""
    prefix = "encoder.embeddings"
    scales, integers = _quantised(graph.weights[f"{prefix}.word_embeddings.weight"], WORD_LIMIT)
    rows = graph.node("Gather", graph.constant(integers), "ids")
    words = graph.node(
        "Mul",
        graph.node("Cast", rows, to=TensorProto.FLOAT),
        graph.node("Gather", graph.constant(scales), "ids"),
    )
    places = graph.weights[f"{prefix}.position_embeddings.weight"][:longest]
    places = places + graph.weights[f"{prefix}.token_type_embeddings.weight"][0]
    start, end = graph.constant(np.array([0])), graph.node("Shape", "ids", start=1, end=2)
    known = graph.node("Slice", graph.constant(places), start, end)
    name = f"{prefix}.LayerNorm"
    total = graph.node("Add", words, known)
    scale, shift = graph.weight(f"{name}.weight"), graph.weight(f"{name}.bias")
    return graph.node("LayerNormalization", total, scale, shift, axis=-1, epsilon=EPSILON)


def _transform(graph: _Graph, x: str, name: str, heads: int) -> str:
    """Add one layer of the encoder: attention, then the feed-forward part."""
    parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
    matrix = np.concatenate([graph.weights[f"{part}.weight"] for part in parts])
    bias = np.concatenate([graph.weights[f"{part}.bias"] for part in parts])
    split = [f"{name}.{part}" for part in ("query", "key", "value")]
    graph.node("Split", graph.linear(x, matrix, bias), outputs=split, axis=-1, num_outputs=3)
    seen = graph.node("MultiHeadAttention", *split, domain=RUNTIME, num_heads=heads)
    seen = graph.layer(seen, f"{name}.attention.output.dense")
    x = graph.norm_of_sum(x, seen, f"{name}.attention.output.LayerNorm")
    wide = graph.node("Gelu", graph.layer(x, f"{name}.intermediate.dense"), domain=RUNTIME)
    narrow = graph.layer(wide, f"{name}.output.dense")
    return graph.norm_of_sum(x, narrow, f"{name}.output.LayerNorm")


def _quantised(matrix: NDArray[np.float32], limit: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Return a scale for each row, and the row in whole numbers from -limit to limit."""
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    scales = np.maximum(largest / limit, np.finfo(np.float32).tiny).astype(np.float32)
    return scales, np.round(matrix / scales).astype(np.int8)

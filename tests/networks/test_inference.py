import pytest
import torch

from bnviz.config import RunConfig
from bnviz.networks.activations import ACTIVATIONS
from bnviz.networks.build import build_network
from bnviz.networks.inference import CHUNK, DEVICE_CHUNK, predict
from bnviz.networks.trace import Trace
from bnviz.norms import NORMS, norms_for
from bnviz.pieces import Pieces
from tests.every_case import every_case
from tests.pairs import pairs


@every_case(
    ("norm", "activation", "way"),
    pairs(
        norms_for("mlp"), ACTIVATIONS, [("before", 0), ("after", 0), ("before", 1), ("before", 2)],
        fits=lambda norm, _, way: not way[1] or NORMS[norm].skips,
    ),
)  # fmt: skip
def test_predictions_equal_the_plain_inference_pass(
    norm: str, activation: str, way: tuple[str, int]
) -> None:
    position, skip = way
    config = RunConfig(
        depth=6 if skip else 3, width=8, activation=activation, norm_position=position, skip=skip
    )
    network = build_network(config, norm, 5, 4, dtype=torch.float64)
    generator = torch.Generator().manual_seed(1)
    for value in (*network.parameters().values(), *network.buffers().values()):
        value += 0.2 * torch.rand(value.shape, generator=generator, dtype=value.dtype)
    inputs = torch.randn(CHUNK + 3, 5, generator=generator, dtype=torch.float64)
    kept = inputs.clone()
    expected = network.forward(inputs, training=False).logits
    torch.testing.assert_close(predict(network, inputs), expected, rtol=1e-10, atol=1e-12)
    assert inputs.equal(kept)


@every_case("kind", ["conv", "recurrent"])
def test_other_networks_are_predicted_in_parts(kind: str) -> None:
    network = build_network(RunConfig(network=kind), "batch", 64, 10, dtype=torch.float64)
    inputs = torch.randn(CHUNK + 3, 64, generator=torch.Generator().manual_seed(2)).double()
    expected = network.forward(inputs, training=False).logits
    torch.testing.assert_close(predict(network, inputs), expected, rtol=1e-10, atol=1e-12)


def test_on_a_gpu_all_networks_are_predicted_in_larger_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Tensors on the meta device stand in for tensors on a GPU."""
    network = build_network(RunConfig(depth=2, width=8), "batch", 4, 3, device="meta")
    rows: list[int] = []
    forward = network.forward_in_pieces

    def counted(inputs: torch.Tensor, *, training: bool) -> Pieces[Trace]:
        rows.append(len(inputs))
        return forward(inputs, training=training)

    monkeypatch.setattr(network, "forward_in_pieces", counted)
    assert predict(network, torch.zeros(2 * DEVICE_CHUNK + 5, 4, device="meta")).shape == (
        2 * DEVICE_CHUNK + 5, 3,
    )  # fmt: skip
    assert rows == [DEVICE_CHUNK, DEVICE_CHUNK, 5]

"""IterNorm and ZCA: the result of whitening, and cases that break naive gradients."""

import torch
from torch import Tensor

from bnviz.norms.inverse_root import InverseRoot, Lyapunov
from bnviz.norms.whitening import GROUP_SIZE, WhiteningNorm
from tests.every_case import every_case
from tests.norms.making import MAP, TIGHT, make, values
from tests.norms.references import REFERENCES
from tests.pairs import pairs

WHITENING = ["iternorm", "zca"]


def correlated(batch: int, width: int, *, spread: float = 2.0) -> Tensor:
    """Return rows with correlated columns. Their covariance has eigenvalues from 1 to spread²."""
    generator = torch.Generator().manual_seed(5)
    basis = torch.linalg.qr(torch.randn(width, width, generator=generator).double())[0]
    deviations = torch.logspace(0, 1, width, base=spread, dtype=torch.float64)
    rows = torch.randn(batch, width, generator=generator, dtype=torch.float64)
    return rows * deviations @ basis.T + 3


def covariance(y: Tensor) -> Tensor:
    return torch.cov(y.T, correction=0)


@every_case(("name", "off"), [("zca", 2e-4), ("iternorm", 0.08)])
def test_the_covariance_becomes_the_identity(name: str, off: float) -> None:
    norm = make(name, affine=False, eps=1e-10)
    x = correlated(2000, 12)
    assert float((covariance(x) - torch.eye(12)).abs().max()) > 0.3
    found = covariance(norm.forward(x, training=True)[0])
    assert float((found - torch.eye(12)).abs().max()) < off


def test_feature_maps_are_whitened_over_examples_and_positions() -> None:
    norm = make("zca", affine=False, eps=1e-10)
    x = correlated(200 * 6, 12).view(200, 2, 3, 12).permute(0, 3, 1, 2)
    y = norm.forward(x, training=True)[0]
    found = covariance(y.permute(0, 2, 3, 1).reshape(-1, 12))
    torch.testing.assert_close(found, torch.eye(12).double(), rtol=0, atol=1e-3)


def test_groups_of_units_are_whitened_each_for_itself() -> None:
    norm = make("zca", width=40, affine=False, eps=1e-10)
    assert isinstance(norm, WhiteningNorm)
    assert (norm.groups, norm.size) == (3, 14)
    found = covariance(norm.forward(correlated(4000, 40), training=True)[0])
    for start in (0, 14, 28):
        block = found[start : start + 14, start : start + 14]
        torch.testing.assert_close(block, torch.eye(len(block)).double(), rtol=0, atol=1e-3)
    assert float(found[:14, 14:28].abs().max()) > 0.1


@every_case("name", WHITENING)
def test_no_rotation_of_it_stays_closer_to_the_axes(name: str) -> None:
    """The symmetric matrix changes the values least among all matrices that whiten them."""
    norm = make(name, affine=False)
    x = correlated(2000, 12)
    y, cache = norm.forward(x, training=True)
    matrix = cache.whitening[0]
    torch.testing.assert_close(matrix, matrix.T, rtol=1e-9, atol=1e-12)
    assert float(torch.linalg.eigvalsh(matrix).min()) > 0
    centred = x - x.mean(0)
    distance = float((y - centred).norm())
    generator = torch.Generator().manual_seed(1)
    for _ in range(20):
        turn = torch.linalg.qr(torch.randn(12, 12, generator=generator).double())[0]
        assert float((y @ turn.T - centred).norm()) > distance
    # Each unit is still most correlated with its own input.
    cross = torch.corrcoef(torch.cat([centred.T, y.T]))[:12, 12:]
    assert cross.argmax(1).tolist() == list(range(12))


def test_five_iterations_come_close_to_zca_and_not_further() -> None:
    iternorm, zca = (make(name, affine=False, eps=1e-10) for name in ("iternorm", "zca"))
    near, far = correlated(4000, 12, spread=1.5), correlated(4000, 12, spread=30.0)
    results = []
    for x in (near, far):
        one, other = (norm.forward(x, training=True)[0] for norm in (iternorm, zca))
        results.append(float((one - other).norm() / other.norm()))
    assert results[0] < 0.02
    assert results[1] > 0.1
    deviations = iternorm.forward(far, training=True)[0].std(0)
    # IterNorm leaves a standard deviation below 1 in directions of little variance.
    assert float(deviations.min()) < 0.95


@every_case(
    ("name", "positions", "training", "width"),
    pairs(WHITENING, [(), MAP], [True, False], [17, 20, 33, 40]),
)  # fmt: skip
def test_any_width_matches_the_reference(
    name: str, positions: tuple[int, ...], training: bool, width: int
) -> None:
    norm = make(name, width=width)
    x, dy = (values(60, positions, width=width, seed=seed) for seed in (1, 2))
    x.requires_grad_()
    expected = REFERENCES[name](norm, x, training)
    (wanted,) = torch.autograd.grad(expected, x, dy)
    y, cache = norm.forward(x.detach(), training=training)
    torch.testing.assert_close(y, expected.detach(), **TIGHT)
    torch.testing.assert_close(norm.backward(dy, cache), wanted, rtol=1e-9, atol=1e-11)
    row = x.detach().reshape(60, width, -1)[0, :, 0]
    jacobian = torch.autograd.functional.jacobian(
        lambda v: norm.forward(v[None], training=False)[0][0], row
    )
    torch.testing.assert_close(norm.inference_jacobian(row), jacobian, **TIGHT)


def test_groups_are_as_few_and_as_even_as_their_size_allows() -> None:
    for width in range(1, 513):
        norm = make("zca", width=width)
        assert isinstance(norm, WhiteningNorm)
        assert norm.groups == -(-width // GROUP_SIZE)
        sizes = norm.constants(torch.empty(0)).sizes.flatten().tolist()
        assert sum(sizes) == width
        assert set(sizes[:-1]) <= {norm.size}
        assert 0 < sizes[-1] <= norm.size <= GROUP_SIZE


@every_case("name", WHITENING)
def test_gradients_where_eigenvalues_are_equal(name: str) -> None:
    norm = make(name)
    # Orthogonal columns of equal length: their covariance is exactly a multiple of the identity.
    hadamard = torch.tensor([[1.0, 1.0], [1.0, -1.0]], dtype=torch.float64)
    for _ in range(4):
        hadamard = torch.kron(hadamard, torch.tensor([[1.0, 1.0], [1.0, -1.0]]).double())
    x = 2 * hadamard[:, 1:13].clone()
    torch.testing.assert_close(covariance(x), 4 * torch.eye(12).double(), **TIGHT)
    assert torch.autograd.gradcheck(
        lambda v: norm.forward(v, training=True)[0], x.requires_grad_(), fast_mode=True
    )
    dy = values(32, seed=2)
    y, cache = norm.forward(x, training=True)
    (wanted,) = torch.autograd.grad(y, x, dy)
    torch.testing.assert_close(norm.backward(dy, cache).detach(), wanted, rtol=1e-9, atol=1e-11)


@every_case("name", WHITENING)
@every_case("batch", [2, 3, 5])
def test_fewer_values_than_units_stay_bounded(name: str, batch: int) -> None:
    norm = make(name, affine=False, eps=1e-5)
    x, dy = values(batch), values(batch, seed=2)
    y, cache = norm.forward(x, training=True)
    dx = norm.backward(dy, cache)
    assert float(y.abs().max()) < 4
    deviation = float(x.std(0).mean())
    assert float(dx.norm()) < 10 * float(dy.norm()) / deviation


def test_zca_only_scales_a_group_that_has_too_few_values() -> None:
    norm = make("zca", affine=False)
    x = values(12)
    centred = x - x.mean(0)
    expected = centred / ((centred**2).mean() + norm.eps).sqrt()
    torch.testing.assert_close(norm.forward(x, training=True)[0], expected, **TIGHT)


@every_case("name", WHITENING)
def test_running_matrices_are_averages_and_begin_as_the_identity(name: str) -> None:
    norm = type(make(name))(20, momentum=0.25, dtype=torch.float64)
    first = norm.buffers["running_whitening"].clone()
    assert first.equal(torch.eye(10).double().expand(2, 10, 10))
    x = values(30, width=20)
    _, cache = norm.forward(x, training=True)
    norm.update_statistics(cache)
    torch.testing.assert_close(
        norm.buffers["running_whitening"], 0.75 * first + 0.25 * cache.whitening, **TIGHT
    )
    torch.testing.assert_close(norm.buffers["running_mean"], 0.25 * x.mean(0), **TIGHT)


def test_the_inverse_root_can_be_differentiated_again_and_again() -> None:
    generator = torch.Generator().manual_seed(0)
    factor = torch.randn(2, 4, 6, generator=generator, dtype=torch.float64)

    def root(v: Tensor) -> Tensor:
        return InverseRoot.apply(v @ v.mT + torch.eye(4))[0]

    assert torch.autograd.gradcheck(root, factor.requires_grad_())
    assert torch.autograd.gradgradcheck(root, factor)
    found = root(factor)
    torch.testing.assert_close(
        found @ found @ (factor @ factor.mT + torch.eye(4)), torch.eye(4).double().expand(2, 4, 4)
    )


def test_lyapunov_solves_its_equation() -> None:
    generator = torch.Generator().manual_seed(0)
    factor = torch.randn(4, 6, generator=generator, dtype=torch.float64)
    matrix = factor @ factor.T
    right = factor[:, :4] + factor[:, :4].T
    values_of, vectors = torch.linalg.eigh(matrix)
    solution = Lyapunov.apply(matrix, right, vectors, values_of)
    torch.testing.assert_close(matrix @ solution + solution @ matrix, right)

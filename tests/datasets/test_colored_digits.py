import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

from skfairprop.datasets import make_colored_digits


def table_of(bunch, predicted=False):
    labels = bunch.prediction if predicted else bunch.target
    table = np.zeros((10, 10), dtype=int)
    for label, color in zip(labels, bunch.sensitive_features["color"], strict=True):
        table[label, color] += 1
    return table


def test_shapes():
    bunch = make_colored_digits(0.5, random_state=0)
    assert bunch.images.shape == (1797, 8, 8, 3)
    assert bunch.data.shape == (1797, 192)
    np.testing.assert_array_equal(bunch.data, bunch.images.reshape(1797, -1))
    assert bunch.images.min() == 0.0
    assert bunch.images.max() == 1.0
    assert bunch.target.shape == (1797,)
    assert list(bunch.sensitive_features) == ["color"]
    assert len(bunch.color_names) == len(set(bunch.color_names)) == 10
    assert len(bunch.feature_names) == 192
    assert bunch.feature_names[:4] == [
        "pixel_0_0_red",
        "pixel_0_0_green",
        "pixel_0_0_blue",
        "pixel_0_1_red",
    ]


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.5, 0.75, 1.0])
def test_alpha_is_the_share_in_its_own_color(alpha):
    table = table_of(make_colored_digits(alpha, random_state=0))
    sizes = table.sum(axis=1)
    np.testing.assert_array_equal(sizes, np.bincount(load_digits().target))
    own = np.diag(table)
    assert (np.abs(own - alpha * sizes) <= 0.5).all()
    for digit in range(10):
        others = np.delete(table[digit], digit)
        assert others.max() - others.min() <= 1


def test_n_per_digit_gives_an_exactly_balanced_table():
    bunch = make_colored_digits(0.1, n_per_digit=170, random_state=0)
    assert (table_of(bunch) == 17).all()


def test_images_are_the_digits_in_one_color():
    bunch = make_colored_digits(0.3, random_state=0)
    gray = load_digits().images / 16
    known = {image.tobytes() for image in gray}
    seen = set()
    for image, color in zip(bunch.images, bunch.sensitive_features["color"], strict=True):
        rgb = bunch.colors[color]
        shape = image[..., rgb.argmax()] / rgb.max()
        np.testing.assert_allclose(image, shape[..., None] * rgb, atol=1e-15)
        seen.add(shape.tobytes())
    assert seen == known


def test_labels_belong_to_their_images():
    bunch = make_colored_digits(0.3, random_state=0)
    digits = load_digits()
    label = {(i / 16).tobytes(): t for i, t in zip(digits.images, digits.target, strict=True)}
    shapes = bunch.images.max(axis=3)
    assert [label[s.tobytes()] for s in shapes] == bunch.target.tolist()


def test_every_color_is_as_bright():
    colors = make_colored_digits(0.5).colors
    assert colors.shape == (10, 3)
    assert (colors.max(axis=1) == 1.0).all()


def test_without_beta_the_prediction_is_perfect():
    bunch = make_colored_digits(0.5, random_state=0)
    np.testing.assert_array_equal(bunch.prediction, bunch.target)


@pytest.mark.parametrize("alpha", [0.1, 0.75])
@pytest.mark.parametrize("beta", [0.1, 0.2, 0.3, 0.4])
def test_amplification_follows_the_analytic_curve(alpha, beta):
    """DPA of a perfect classifier of which a share beta follows the color."""
    bunch = make_colored_digits(alpha, beta=beta, n_per_digit=170, random_state=0)
    psi_data = table_of(bunch).max(axis=0).sum() / 1700
    psi_model = table_of(bunch, predicted=True).max(axis=0).sum() / 1700
    dpa = (psi_model - psi_data) / (psi_model + psi_data)
    expected = beta * (1 - alpha) / (2 * alpha + beta * (1 - alpha))
    assert dpa == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("beta", [0.0, 0.25, 1.0])
def test_beta_is_the_share_that_follows_the_color(beta):
    bunch = make_colored_digits(0.1, beta=beta, n_per_digit=170, random_state=0)
    color = bunch.sensitive_features["color"].to_numpy()
    off = color != bunch.target
    wrong = bunch.prediction != bunch.target
    np.testing.assert_array_equal(bunch.prediction[wrong], color[wrong])
    for digit in range(10):
        for other in range(10):
            cell = (bunch.target == digit) & (color == other) & off
            assert abs(wrong[cell].sum() - beta * cell.sum()) <= 1


def test_return_X_y():
    bunch = make_colored_digits(0.5, random_state=0)
    X, y = make_colored_digits(0.5, random_state=0, return_X_y=True)
    np.testing.assert_array_equal(X, bunch.data)
    np.testing.assert_array_equal(y, bunch.target)


def test_random_state():
    first = make_colored_digits(0.5, random_state=0)
    again = make_colored_digits(0.5, random_state=0)
    np.testing.assert_array_equal(first.data, again.data)
    pd.testing.assert_frame_equal(first.sensitive_features, again.sensitive_features)
    other = make_colored_digits(0.5, random_state=1)
    assert not np.array_equal(first.sensitive_features, other.sensitive_features)


def test_rows_are_shuffled():
    assert len(set(make_colored_digits(0.5, n_per_digit=20, random_state=0).target[:40])) > 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 1.5}, r"alpha must be a number in \[0, 1\]; got 1.5"),
        ({"alpha": "much"}, r"alpha must be a number in \[0, 1\]; got 'much'"),
        ({"alpha": float("nan")}, r"alpha must be a number in \[0, 1\]; got nan"),
        ({"alpha": 0.5, "beta": -0.1}, r"beta must be a number in \[0, 1\]; got -0.1"),
        (
            {"alpha": 0.5, "n_per_digit": 0},
            "n_per_digit must be an integer from 1 to 174; got 0",
        ),
        ({"alpha": 0.5, "n_per_digit": 175}, "from 1 to 174; got 175"),
        ({"alpha": 0.5, "return_X_y": 1}, "return_X_y must be True or False; got 1"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        make_colored_digits(**options)

"""ROC curves and calibration of every group, against scikit-learn and loops."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import roc_auc_score, roc_curve

from skfairprop.inference import rate_interval
from skfairprop.inspection import GroupCurveDisplay
from skfairprop.inspection import _style as style
from skfairprop.inspection._curves import ScoredRows, roc_replicates

RNG = np.random.default_rng(0)
N = 400
GROUP = RNG.choice(["a", "b"], N)
Y = RNG.integers(2, size=N)
SCORE = 1 / (1 + np.exp(-(RNG.normal(size=N) + np.where(GROUP == "a", 2.0, 0.5) * (Y - 0.5))))


def draw(y=Y, score=SCORE, group=GROUP, **options):
    options = {"n_draws": 20, "random_state": 0} | options
    return GroupCurveDisplay.from_predictions(y, score, sensitive_features=group, **options)


def curve(frame, group):
    return frame[frame["group"].isna() if group is None else frame["group"] == group]


def legend(display):
    return [text.get_text() for text in display.figure_.legends[0].get_texts()]


# -- ROC ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("group", [None, "a", "b"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_curves_are_scikit_learns(group, weighted):
    weight = RNG.uniform(0.5, 2, N) if weighted else None
    display = draw(sample_weight=weight)
    mine = np.full(N, True) if group is None else group == GROUP
    w = None if weight is None else weight[mine]
    points = np.stack(roc_curve(Y[mine], SCORE[mine], sample_weight=w)[:2], 1)
    found = curve(display.frame_, group)[["fpr", "tpr"]].to_numpy()
    if len(points) > 300:  # with weights nearly every row is a corner, and some are left out
        points = points[[np.abs(points - point).sum(1).argmin() for point in found]]
    np.testing.assert_allclose(found, points, atol=1e-12)
    line = curve(display.summary, group).iloc[0]
    assert line["auc"] == pytest.approx(roc_auc_score(Y[mine], SCORE[mine], sample_weight=w))
    assert (line["n"], line["n_positive"]) == (mine.sum(), Y[mine].sum())


def test_each_panel_holds_its_curve_and_that_of_everyone():
    display = draw()
    for ax, group in zip(display.axes_, "ab", strict=True):
        drawn = {line.get_color(): line for line in ax.lines}
        for colour, who in ((style.BLUE, group), (style.SOFT, None)):
            expected = curve(display.frame_, who)
            np.testing.assert_array_equal(drawn[colour].get_xdata(), expected["fpr"])
            np.testing.assert_array_equal(drawn[colour].get_ydata(), expected["tpr"])
        row = curve(display.summary, group).iloc[0]
        assert ax.get_title(loc="left") == group
        assert ax.texts[0].get_text() == (
            f"AUC {row['auc']:.2f} ({row['lower']:.2f} to {row['upper']:.2f})\n"
            f"n = {row['n']}, {row['n_positive']} positive"
        )


def test_bands_hold_the_curve_and_the_interval_its_area():
    display = draw()
    frame, summary = (t[t["group"].notna()] for t in (display.frame_, display.summary))
    assert (frame["lower"] <= frame["tpr"]).all()
    assert (frame["tpr"] <= frame["upper"]).all()
    assert frame[["lower", "upper"]].stack().between(0, 1).all()
    assert (summary["lower"] < summary["auc"]).all()
    assert (summary["auc"] < summary["upper"]).all()


def test_replicates_are_curves_of_resampled_rows():
    rows = ScoredRows(SCORE.round(1), Y == 1, np.zeros(N, dtype=int), ["a"], None, 1)
    grid = np.array([0.0, 0.13, 0.5, 1.0])
    tprs, areas = roc_replicates(rows, grid, 5, np.random.default_rng(3))
    rng, order = np.random.default_rng(3), np.argsort(-rows.score, kind="stable")
    for tpr, area in zip(tprs, areas, strict=True):
        drawn = order[rng.integers(N, size=N)]
        assert area == pytest.approx(roc_auc_score(Y[drawn], rows.score[drawn]))
        x, y, _ = roc_curve(Y[drawn], rows.score[drawn], drop_intermediate=False)
        np.testing.assert_allclose(tpr, np.interp(grid, x, y))


def test_the_interval_of_the_area_is_about_as_wide_as_delongs():
    row = draw(n_draws=1000).summary.set_index("group").loc["a"]
    positive, negative = (SCORE[(GROUP == "a") & (side == Y)] for side in (1, 0))
    wins = positive[:, None] > negative
    error = np.sqrt(
        wins.mean(1).var(ddof=1) / len(positive) + wins.mean(0).var(ddof=1) / len(negative)
    )
    assert (row["upper"] - row["lower"]) / (2 * 1.96 * error) == pytest.approx(1, abs=0.1)


def test_a_seed_settles_the_bands():
    one, same, other = (draw(random_state=seed).frame_ for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(one, same)
    assert not np.allclose(one["lower"], other["lower"])


def test_a_long_curve_is_thinned_and_keeps_its_ends():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=5000)
    display = draw(y, y + rng.normal(size=5000), ["a"] * 5000, n_draws=2)
    found = curve(display.frame_, "a")
    assert len(found) <= 300
    assert found[["fpr", "tpr"]].iloc[[0, -1]].to_numpy().tolist() == [[0, 0], [1, 1]]


def test_few_positives_or_negatives_are_marked():
    y = np.where((GROUP == "b") & (np.arange(N) % 9 > 0), 0, Y)
    display = draw(y)
    blue, orange = (ax.lines[-1] for ax in display.axes_)
    assert (blue.get_color(), blue.get_linestyle()) == (style.BLUE, "-")
    assert orange.get_color() == style.ORANGE
    assert orange.get_linestyle() != "-"
    assert "fewer than 50 positives or negatives" in legend(display)


@pytest.mark.parametrize(("lacking", "value"), [("positives", 0), ("negatives", 1)])
def test_a_group_without_one_side_has_no_curve_and_is_named(lacking, value):
    y = np.where(GROUP == "b", value, Y)
    display = draw(y)
    assert len(display.axes_) == 1
    assert curve(display.frame_, "b").empty
    assert curve(display.summary, "b")["auc"].isna().all()
    assert f"no curve without {lacking}: 'b'" in legend(display)


def test_where_no_group_has_both_sides_nothing_is_drawn():
    with pytest.raises(ValueError, match="no group has both positives and negatives"):
        draw(Y, SCORE, np.where(Y == 1, "a", "b"))


def test_of_many_groups_those_of_the_lowest_and_highest_area_are_drawn():
    rng = np.random.default_rng(0)
    group = np.repeat([f"g{i:02d}" for i in range(15)], 40)
    y = rng.integers(2, size=600)
    display = draw(y, y + rng.normal(size=600), group, n_draws=2)
    area = display.summary.dropna(subset="group").set_index("group")["auc"].sort_values()
    shown = [ax.get_title(loc="left") for ax in display.axes_]
    assert shown == [*area.index[:6], *area.index[-6:]]
    assert "the 6 lowest and 6 highest of 15 groups by area" in legend(display)


# -- calibration --------------------------------------------------------------------------------


def test_calibration_is_that_of_a_loop_over_bins_of_all_scores():
    display = draw(kind="calibration", n_bins=5)
    edges = np.quantile(SCORE, np.linspace(0, 1, 6))
    for group in (None, "a", "b"):
        mine = np.full(N, True) if group is None else group == GROUP
        found = curve(display.frame_, group)
        assert len(found) == 5
        for i, row in enumerate(found.itertuples()):
            inside = mine & (edges[i] <= SCORE)
            inside &= edges[5] >= SCORE if i == 4 else edges[i + 1] > SCORE
            k, n = Y[inside].sum(), inside.sum()
            assert (row.score, row.n) == (pytest.approx(SCORE[inside].mean()), n)
            assert row.positive_rate == pytest.approx(k / n)
            lower, upper = rate_interval(k, n)
            assert (row.lower, row.upper) == pytest.approx((float(lower), float(upper)))


def test_calibration_says_mean_score_and_share_of_positives():
    display = draw(kind="calibration")
    mine = GROUP == "a"
    text = display.ax_.texts[0].get_text().split("\n")[0]
    assert text == f"mean score {SCORE[mine].mean():.2f}, positive {Y[mine].mean():.2f}"
    assert display.ax_.get_xlabel() == "score for 1"


def test_bins_without_rows_of_a_group_are_left_out():
    score = np.where(GROUP == "a", SCORE / 2, 0.5 + SCORE / 2)
    display = draw(score=score, kind="calibration", n_bins=4)
    assert (curve(display.frame_, "a")["score"] < 0.5).all()
    assert len(curve(display.frame_, "a")) < 4


def test_calibration_has_a_curve_for_a_group_without_positives():
    display = draw(np.where(GROUP == "b", 0, Y), kind="calibration")
    assert len(display.axes_) == 2
    assert (curve(display.frame_, "b")["positive_rate"] == 0).all()


def test_repeated_scores_make_fewer_bins():
    display = draw(score=np.where(SCORE > 0.5, 0.75, 0.25), kind="calibration")
    assert curve(display.frame_, None)["score"].tolist() == [0.25, 0.75]


# -- estimators ---------------------------------------------------------------------------------


def test_decision_functions_serve_where_there_are_no_probabilities():
    X = pd.DataFrame({"u": SCORE, "v": RNG.normal(size=N)})
    model = RidgeClassifier().fit(X, Y)
    display = GroupCurveDisplay.from_estimator(
        model, X, Y, sensitive_features=GROUP, n_draws=2, random_state=0
    )
    found = display.summary.set_index("group")["auc"]
    assert found["a"] == pytest.approx(
        roc_auc_score(Y[GROUP == "a"], model.decision_function(X)[GROUP == "a"])
    )
    with pytest.raises(ValueError, match="calibration needs probabilities, and y_score goes from"):
        GroupCurveDisplay.from_estimator(model, X, Y, sensitive_features=GROUP, kind="calibration")


def test_of_several_classes_one_is_shown_against_the_rest():
    y = np.where(RNG.random(N) < 0.3, 2, Y)
    X = pd.DataFrame({"u": SCORE, "v": RNG.normal(size=N)})
    model = LogisticRegression().fit(X, y)
    display = GroupCurveDisplay.from_estimator(
        model, X, y, sensitive_features=GROUP, pos_label=2, n_draws=2, random_state=0
    )
    expected = roc_auc_score(y == 2, model.predict_proba(X)[:, 2])
    assert display.summary["auc"].iloc[0] == pytest.approx(expected)
    with pytest.raises(ValueError, match=r"do not tell which it is; pass pos_label="):
        GroupCurveDisplay.from_estimator(model, X, y, sensitive_features=GROUP)


def test_an_estimator_needs_scores():
    class Plain(LogisticRegression):
        predict_proba = decision_function = property()

    X = SCORE[:, None]
    model = Plain().fit(X, Y)
    message = "GroupCurveDisplay needs scores, and Plain has neither of predict_proba and decision"
    with pytest.raises(ValueError, match=message):
        GroupCurveDisplay.from_estimator(model, X, Y, sensitive_features=GROUP)


# -- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": np.full(N, 0.5)}, "y_score holds the one value 0.5, which ranks nothing"),
        ({"score": np.where(np.arange(N) == 3, np.nan, SCORE)}, "y_score must hold finite numbers"),
        ({"score": np.stack([SCORE, SCORE], 1)}, "y_score has 2 columns; pass that of the posit"),
        ({"score": np.where(Y, "high", "low")}, "y_score must hold finite numbers, one a row"),
        ({"score": None}, "GroupCurveDisplay: y_score is missing; pass the score of the posit"),
        ({"score": SCORE[:-1]}, "different numbers of rows"),
        ({"y": np.where(Y, "yes", "no")}, "do not tell which it is; pass pos_label="),
        ({"kind": "pr"}, "kind must be one of .* got 'pr'"),
        ({"confidence": 95}, "confidence must be a number in .0, 1.; got 95"),
        ({"n_draws": 1}, "n_draws must be an integer of at least 2; got 1"),
        ({"n_bins": 2.5, "kind": "calibration"}, "n_bins must be an integer of at least 2"),
        ({"score": 3 * SCORE, "kind": "calibration"}, "pass those of predict_proba, or kind='roc'"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_the_remedy(options, message):
    with pytest.raises(ValueError, match=message):
        draw(**options)

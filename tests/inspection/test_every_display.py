"""What holds for every display: where it can come from, where it draws, and what names become."""

import inspect
import io
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, cross_validate

from skfairprop import GroupCounts, fairness_report, inspection
from skfairprop.inspection import (
    AmplificationDisplay,
    BENNLearningCurveDisplay,
    CorrelationDisplay,
    DirectTotalDisplay,
    EstimatorMatrixDisplay,
    ExplanationStabilityDisplay,
    GapNullDisplay,
    GroupConfusionDisplay,
    GroupCurveDisplay,
    GroupRatesDisplay,
    HypervolumeDisplay,
    InductionCurveDisplay,
    MitigationDisplay,
    PairGapDisplay,
    ParallelCoordinatesDisplay,
    ParetoDisplay,
    PropagationDisplay,
    RepresentationDisplay,
)
from skfairprop.metrics import mesd_from_stability

RNG = np.random.default_rng(0)
N = 300
INDEX = pd.RangeIndex(1000, 1000 + N)
X = pd.DataFrame(RNG.normal(size=(N, 3)), columns=list("uvw"), index=INDEX)
GROUP = pd.Series(RNG.choice(["a", "b", "c"], N), index=INDEX, name="sex")
Y = pd.Series(np.where(X["u"] + RNG.normal(size=N) > 0, "yes", "no"), index=INDEX)
MODEL = LogisticRegression().fit(X, Y)
PRED = pd.Series(MODEL.predict(X), index=INDEX)
COUNTS = GroupCounts.from_arrays(Y, PRED, sensitive_features=GROUP)

HOSTILE = ["$x_1^{2}$", "<img onerror=1>", "a\x1b[31m\nb", "\u202ertl", "%s {0} \\frac{"]

# Options that make each display of counts quick and the same every time.
OF_COUNTS = {
    AmplificationDisplay: {},
    GapNullDisplay: {
        "metrics": "equalized_odds_difference",
        "n_draws": 100,
        "random_state": 0,
        "pos_label": "yes",
    },
    GroupConfusionDisplay: {},
    GroupRatesDisplay: {"pos_label": "yes"},
    PairGapDisplay: {"pos_label": "yes"},
    PropagationDisplay: {"pos_label": "yes"},
    RepresentationDisplay: {},
}
OF_SCORES = {GroupCurveDisplay: {"n_draws": 20, "random_state": 0, "pos_label": "yes"}}
OF_BENN = (
    BENNLearningCurveDisplay,
    DirectTotalDisplay,
    EstimatorMatrixDisplay,
    MitigationDisplay,
)
OF_SEARCHES = (HypervolumeDisplay, ParallelCoordinatesDisplay, ParetoDisplay)
counts_displays = pytest.mark.parametrize("display", OF_COUNTS, ids=lambda d: d.__name__)


@pytest.fixture
def draw(make_study):
    """A function that draws any display, of the same rows under other names."""
    study = make_study(factors=(-0.8, -0.4, 0.0, 0.4, 0.8))

    def draw_one(display, ax=None, names=("a", "b", "c"), labels=("no", "yes")):
        if display in (CorrelationDisplay, InductionCurveDisplay):
            return display.from_propagation(study, ax=ax)
        if display in OF_BENN:
            return draw_benn(display, ax, names)
        if display in OF_SEARCHES:
            return draw_search(display, ax, names, labels)
        if display is ExplanationStabilityDisplay:
            stability = 1 - 0.1 * np.arange(3)
            found = mesd_from_stability(stability, [1, 1, 1], sensitive_features=list(names))
            return display.from_result(found, ax=ax)
        return draw_rows(display, ax, names, labels)

    return draw_one


def draw_benn(display, ax, names):
    if display is BENNLearningCurveDisplay:
        curve = pd.DataFrame({"step": [15, 30], "change": [0.1, 0.2], "loss": [-0.1, -0.2]})
        return display(curve).plot(ax)
    found = {"estimate": 0.4, "ensemble": 0.3, "direct": 0.1, "total": 0.4, "null": 0.05}
    frame = pd.DataFrame(found, index=pd.Index(names, name="feature"))
    if display is MitigationDisplay:
        return display.from_frames(frame, frame / 2, ax=ax)
    return display(frame).plot(ax)


def draw_search(display, ax, names, labels):
    if display is HypervolumeDisplay:
        return display.from_values({name: [(5, 0.1), (10, 0.2)] for name in names}, ax=ax)
    front = pd.DataFrame({labels[0]: [0.1, 0.2, 0.4], labels[1]: [0.6, 0.7, 0.8]})
    others = {name: dict.fromkeys(labels, 0.5) for name in names[1:]}
    return display.from_front(
        front, greater_is_better=[labels[1]], chosen=1, others=others, name=names[0], ax=ax
    )


def draw_rows(display, ax, names, labels):
    group = GROUP.map(dict(zip("abc", names, strict=True)))
    truth, pred = (v.map(dict(zip(("no", "yes"), labels, strict=True))) for v in (Y, PRED))
    options = (OF_COUNTS | OF_SCORES).get(display, {})
    if "pos_label" in options:
        options = options | {"pos_label": labels[1]}
    if display in OF_COUNTS:
        return display.from_predictions(truth, pred, sensitive_features=group, ax=ax, **options)
    score = MODEL.predict_proba(X)[:, 1]
    return display.from_predictions(truth, score, sensitive_features=group, ax=ax, **options)


every_display = pytest.mark.parametrize(
    "display", [getattr(inspection, name) for name in inspection.__all__], ids=lambda d: d.__name__
)


def texts_of(figure):
    return [text for text in figure.findobj(Text) if text.get_text()]


# -- where it draws -----------------------------------------------------------------------------


@every_display
def test_plot_returns_the_display_with_what_it_drew(draw, display):
    drawn = draw(display)
    assert isinstance(drawn, display)
    assert drawn.plot() is drawn
    assert drawn.ax_ is drawn.axes_[0]
    assert all(ax.figure is drawn.figure_ for ax in drawn.axes_)
    assert isinstance(drawn.frame_, pd.DataFrame)
    assert len(drawn.frame_) > 0


@every_display
def test_given_axes_are_used_although_another_figure_is_current(draw, display):
    figure, (left, right) = plt.subplots(1, 2)
    other = plt.figure()
    drawn = draw(display, ax=right)
    assert drawn.figure_ is figure
    assert not other.axes
    assert not left.has_data()
    assert plt.get_fignums() == [figure.number, other.number]
    figure.canvas.draw()


@every_display
def test_one_axes_a_panel_can_be_given(draw, display):
    n = len(draw(display).axes_)
    figure, axes = plt.subplots(1, n, squeeze=False)
    drawn = draw(display, ax=list(axes.ravel()))
    assert list(drawn.axes_) == list(axes.ravel())
    assert drawn.figure_ is figure


@every_display
def test_axes_of_another_kind_are_refused(draw, display):
    with pytest.raises(TypeError, match=f"{display.__name__}: ax must be matplotlib Axes"):
        draw(display, ax="here")


@every_display
def test_the_global_generators_stay_as_they_are(draw, display):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    draw(display)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


# -- matplotlib ---------------------------------------------------------------------------------

EXTRA = r"pip install 'skfairprop\[report\]'"


@every_display
def test_without_matplotlib_the_extra_is_named(draw, display, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=EXTRA):
        draw(display)


@pytest.mark.parametrize(
    "display", [*OF_COUNTS, *OF_SCORES, ExplanationStabilityDisplay], ids=lambda d: d.__name__
)
def test_without_matplotlib_no_estimator_is_asked(display, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=EXTRA):  # not what is wrong with the estimator
        display.from_estimator(None, X, Y, sensitive_features=GROUP)


# -- what names become --------------------------------------------------------------------------


@every_display
def test_names_of_groups_and_classes_stay_text(draw, display):
    drawn = draw(display, names=HOSTILE[:3], labels=HOSTILE[3:])
    found = [text for ax in drawn.axes_ for text in ax.findobj(Text)] + texts_of(drawn.figure_)
    for text in found:
        assert "\x1b" not in text.get_text()
        assert "\u202e" not in text.get_text()
        if "$" in text.get_text() or "\\" in text.get_text():
            assert not text.get_parse_math()
            assert not text.get_usetex()
    for kind in ("svg", "png"):
        drawn.figure_.savefig(io.BytesIO(), format=kind, dpi=40)


@counts_displays
def test_hostile_names_are_all_there(draw, display):
    drawn = draw(display, names=HOSTILE[:3], labels=("no", "yes"))
    if display is not GapNullDisplay:  # has the names of metrics only
        shown = "\n".join(text.get_text() for text in texts_of(drawn.figure_))
        for name in ("$x_1^{2}$", "<img onerror=1>", "a\\x1b[31m\\nb"):
            assert name in shown


# -- where it comes from ------------------------------------------------------------------------


@counts_displays
def test_counts_and_predictions_give_the_same(draw, display):
    options = OF_COUNTS[display]
    pd.testing.assert_frame_equal(
        display.from_counts(COUNTS, **options).frame_, draw(display).frame_
    )


@pytest.mark.parametrize(
    ("display", "way"),
    [(display, "series") for display in (*OF_COUNTS, *OF_SCORES)]
    + [(GroupRatesDisplay, way) for way in ("column", "columns", "array", "callable")],
)
def test_an_estimator_is_shown_with_what_it_predicts(draw, display, way):
    class Named(LogisticRegression):
        def predict(self, X):
            return MODEL.predict(X[list("uvw")])

        def predict_proba(self, X):
            return MODEL.predict_proba(X[list("uvw")])

    model = Named().fit(X, Y)
    frame = X.assign(sex=GROUP)
    spec = {
        "column": "sex",
        "columns": ["sex"],
        "series": GROUP.sample(frac=1, random_state=0),
        "array": GROUP.to_numpy(),
        "callable": lambda X: X["sex"],
    }[way]
    options = (OF_COUNTS | OF_SCORES)[display]
    shown = display.from_estimator(model, frame, Y, sensitive_features=spec, **options)
    pd.testing.assert_frame_equal(shown.frame_, draw(display).frame_)


@pytest.mark.parametrize("display", [*OF_COUNTS, *OF_SCORES], ids=lambda d: d.__name__)
def test_a_cross_validation_is_shown_out_of_fold(display):
    results = cross_validate(
        LogisticRegression(), X, Y, cv=3, return_estimator=True, return_indices=True
    )
    options = (OF_COUNTS | OF_SCORES)[display]
    shown = display.from_cv_results(results, X, Y, sensitive_features=GROUP, **options)
    method = "predict" if display in OF_COUNTS else "predict_proba"
    pred = cross_val_predict(LogisticRegression(), X, Y, cv=3, method=method)
    pred = pred if pred.ndim == 1 else pred[:, 1]
    expected = display.from_predictions(Y, pred, sensitive_features=GROUP, **options)
    numbers = [c for c in expected.frame_ if expected.frame_[c].dtype.kind in "fi"]
    if display in OF_COUNTS:
        pd.testing.assert_frame_equal(shown.frame_, expected.frame_)
    else:  # rows come fold by fold, so that the resampled ones differ
        exact = [c for c in numbers if c not in ("lower", "upper")]
        np.testing.assert_allclose(shown.frame_[exact], expected.frame_[exact])


@pytest.fixture(scope="module")
def report():
    people = pd.DataFrame({"sex": GROUP, "old": RNG.choice(["o", "p"], N)}, index=INDEX)
    return fairness_report(
        Y,
        PRED,
        sensitive_features=people,
        pos_label="yes",
        bootstrap=100,
        metrics=["equalized_odds_difference", "accuracy_difference"],
    )


@counts_displays
def test_a_report_is_shown_as_it_was_made(draw, display, report):
    options = {k: v for k, v in OF_COUNTS[display].items() if k == "metrics"}
    shown = display.from_report(report, view="sex", **options)
    assert isinstance(shown, display)
    if display is not GapNullDisplay:  # has the q of the whole report
        pd.testing.assert_frame_equal(shown.frame_, draw(display).frame_)
    assert len(display.from_report(report).frame_) >= len(shown.frame_)
    with pytest.raises(ValueError, match="the report has no view 'age'; it has 'sex x old', 'sex'"):
        display.from_report(report, view="age")


@counts_displays
def test_weights_and_missing_values_have_their_say(display):
    group = GROUP.where(np.arange(N) % 10 > 0)
    with pytest.raises(ValueError, match="30 of 300 values are missing"):
        display.from_predictions(Y, PRED, sensitive_features=group, **OF_COUNTS[display])
    kept = group.notna()
    weight = RNG.uniform(0.5, 2, N)
    with pytest.warns(UserWarning, match="left out 30 of 300 rows"):
        shown = display.from_predictions(
            Y, PRED, sensitive_features=group, sample_weight=weight, missing="drop",
            **OF_COUNTS[display],
        )  # fmt: skip
    expected = display.from_predictions(
        Y[kept], PRED[kept], sensitive_features=group[kept], sample_weight=weight[kept],
        **OF_COUNTS[display],
    )  # fmt: skip
    pd.testing.assert_frame_equal(shown.frame_, expected.frame_)


# -- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "display", [AmplificationDisplay, GapNullDisplay, PairGapDisplay, RepresentationDisplay]
)
def test_one_group_cannot_be_compared(display):
    with pytest.raises(ValueError, match="compares groups, and there is only one: 'a'"):
        display.from_predictions(Y, PRED, sensitive_features=["a"] * N, **OF_COUNTS[display])


@pytest.mark.parametrize(
    "display", [AmplificationDisplay, GroupConfusionDisplay, PropagationDisplay]
)
def test_predictions_are_needed(display):
    with pytest.raises(ValueError, match=f"{display.__name__} needs predictions"):
        display.from_predictions(Y, sensitive_features=GROUP)


@pytest.mark.parametrize("display", [*OF_COUNTS, *OF_SCORES], ids=lambda d: d.__name__)
def test_an_estimator_needs_the_rows_of_its_groups(display):
    with pytest.raises(ValueError, match=f"{display.__name__}: X has no column 'race'"):
        display.from_estimator(MODEL, X, Y, sensitive_features="race")
    with pytest.raises(ValueError, match=r"has 299 rows; X has 300"):
        display.from_estimator(MODEL, X, Y, sensitive_features=["a"] * (N - 1))


@pytest.mark.parametrize("display", [*OF_COUNTS, *OF_SCORES], ids=lambda d: d.__name__)
def test_cv_results_need_estimators_and_indices_of_these_rows(display):
    results = cross_validate(LogisticRegression(), X, Y, cv=2)
    with pytest.raises(ValueError, match="has no 'estimator'; call cross_validate with return_est"):
        display.from_cv_results(results, X, Y, sensitive_features=GROUP)
    results = cross_validate(
        LogisticRegression(), X, Y, cv=2, return_estimator=True, return_indices=True
    )
    with pytest.raises(ValueError, match="cv_results are of 300 rows; X has 200"):
        display.from_cv_results(results, X[:200], Y[:200], sensitive_features=GROUP[:200])


@counts_displays
def test_only_one_table_of_counts_can_be_drawn(display):
    with pytest.raises(TypeError, match=r"from_counts takes a GroupCounts; got Series \(arrays go"):
        display.from_counts(Y)
    replicates = GroupCounts(np.stack([COUNTS.values] * 2), groups=COUNTS.groups,
                             classes=COUNTS.classes)  # fmt: skip
    with pytest.raises(ValueError, match="counts with replicate axes cannot be drawn"):
        display.from_counts(replicates)


@counts_displays
def test_unused_groups_and_classes_change_nothing(display):
    values = np.zeros((5, 3, 3), dtype=int)
    values[np.ix_([0, 2, 4], [0, 2], [0, 2])] = COUNTS.values
    wide = GroupCounts(values, groups=["a", "-", "b", "+", "c"], classes=["no", "?", "yes"])
    options = OF_COUNTS[display]
    pd.testing.assert_frame_equal(
        display.from_counts(wide, **options).frame_, display.from_counts(COUNTS, **options).frame_
    )


@counts_displays
def test_an_unknown_option_is_refused(display):
    with pytest.raises(TypeError, match="colour"):
        display.from_counts(COUNTS, colour="red")


# -- documentation ------------------------------------------------------------------------------


@every_display
def test_every_display_is_documented(display):
    for part in ("Parameters", "Attributes", "Examples", "frame_ : DataFrame", "figure_"):
        assert part in display.__doc__
    for name, member in inspect.getmembers(display):
        if callable(member) and not name.startswith("_"):
            assert member.__doc__, name


def test_correlation_display_takes_one_metric_by_its_name(study):
    shown = CorrelationDisplay.from_propagation(
        study, dataset_metrics="cramers_v", model_metrics="equal_opportunity"
    )
    assert len(shown.frame_) == 1
    assert InductionCurveDisplay.from_propagation(study, metrics="cramers_v").axes_.shape == (1,)


def test_an_estimator_is_shown_with_weights():
    weight = pd.Series(RNG.uniform(0.5, 2, N), index=INDEX)
    shuffled = weight.sample(frac=1, random_state=0)
    shown = GroupRatesDisplay.from_estimator(
        MODEL, X, Y, sensitive_features=GROUP, sample_weight=shuffled, pos_label="yes"
    )
    expected = GroupRatesDisplay.from_predictions(
        Y, PRED, sensitive_features=GROUP, sample_weight=weight, pos_label="yes"
    )
    pd.testing.assert_frame_equal(shown.frame_, expected.frame_)


def test_an_estimator_needs_as_many_labels_as_rows():
    with pytest.raises(ValueError, match="GroupRatesDisplay: y has 299 rows; X has 300"):
        GroupRatesDisplay.from_estimator(
            MODEL, X.to_numpy(), Y.to_numpy()[:-1], sensitive_features=GROUP.to_numpy()
        )


def test_a_missing_protected_value_is_a_plain_error():
    with pytest.raises(ValueError, match="1 of 300 values are missing; pass missing='group'"):
        GroupRatesDisplay.from_estimator(
            MODEL, X, Y, sensitive_features=GROUP.where(np.arange(N) > 0)
        )

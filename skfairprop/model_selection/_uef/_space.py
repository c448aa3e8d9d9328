"""The space of a search: distributions and lists of anything, in one or several branches."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.stats import qmc

from skfairprop._checks import is_number
from skfairprop._optional import import_optional
from skfairprop._suggest import closest
from skfairprop.model_selection._checkpoint import describe, describe_estimator

# A point of the space: a gene for each variable, by its name. Genes of other branches are ignored.
Point = dict[str, Any]
BRANCH = "branch"
# Distributions are read a little inside an end that is infinite.
_END = 1e-6


class Values:
    """A parameter that takes one of some values; a gene is the position of one."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = _distinct(values)
        self.size: float = len(self.values)
        numbers = all(
            isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in self.values
        )
        self.ordered = numbers and len(self.values) > 2 and self.values == sorted(self.values)

    def variable(self) -> Any:
        """What pymoo calls it. Values of no order must not be crossed as if they had one."""
        kinds = import_optional("pymoo.core.variable", extra="search")
        if self.ordered:
            return kinds.Integer(bounds=(0, len(self.values) - 1))
        return kinds.Choice(options=list(range(len(self.values))))

    def gene(self, u: float) -> int:
        """The gene at a position in [0, 1)."""
        return min(int(u * len(self.values)), len(self.values) - 1)

    def decode(self, gene: Any) -> Any:
        return self.values[int(gene)]

    def code(self, gene: Any) -> Any:
        """What tells two genes apart, as a JSON value."""
        return int(gene)

    def encode(self, value: Any, *, nearly: bool = False) -> int | None:
        """The gene of a value; None if it is none of them."""
        for position, known in enumerate(self.values):
            if known is value or _alike(known, value):
                return position
        if nearly:  # to start from: a C of 1.0 is the 1 of a list
            numbers = [is_number(v) and is_number(value) and v == value for v in self.values]
            return numbers.index(True) if True in numbers else None
        return None

    def genes(self) -> Iterator[int]:
        return iter(range(len(self.values)))

    def describe(self) -> list[Any]:
        return [
            describe_estimator("value", v) if hasattr(v, "get_params") else describe(v)
            for v in self.values
        ]


class Distribution:
    """A parameter with a distribution of scipy.stats; a gene is a probability in [0, 1]."""

    ordered = True

    def __init__(self, distribution: Any) -> None:
        self.distribution = distribution
        low, high = distribution.support()
        self.discrete = hasattr(distribution, "pmf")
        self.size = float(high - low + 1) if self.discrete else np.inf
        # At a probability of 0 scipy's discrete distributions give a value below their first.
        self._lowest = _END if self.discrete or np.isinf(low) else 0.0
        self._highest = 1 - _END if np.isinf(high) else 1.0

    def variable(self) -> Any:
        return import_optional("pymoo.core.variable", extra="search").Real(bounds=(0.0, 1.0))

    def gene(self, u: float) -> float:
        return float(u)

    def decode(self, gene: Any) -> Any:
        found = self.distribution.ppf(np.clip(float(gene), self._lowest, self._highest))
        return int(found) if self.discrete else float(found)

    def code(self, gene: Any) -> Any:
        return self.decode(gene) if self.discrete else float(gene)

    def encode(self, value: Any, *, nearly: bool = False) -> float | None:
        """The gene of a value; None if there is none that is read as it or, `nearly`, close by."""
        try:
            upper = float(self.distribution.cdf(value))
            lower = float(self.distribution.cdf(value - 1)) if self.discrete else upper
        except (TypeError, ValueError):
            return None
        low, high = self.distribution.support()
        gene = (lower + upper) / 2
        exact = nearly or np.isclose(self.decode(gene), value, rtol=1e-6, atol=1e-9)
        return gene if exact and low <= value <= high else None

    def genes(self) -> Iterator[float]:
        low, high = (int(end) for end in self.distribution.support())
        found = (self.encode(value) for value in range(low, high + 1))
        return (gene for gene in found if gene is not None)  # some have a probability of 0

    def describe(self) -> list[Any]:
        frozen = self.distribution
        name = getattr(getattr(frozen, "dist", None), "name", type(frozen).__name__)
        return [name, describe(getattr(frozen, "args", ())), describe(getattr(frozen, "kwds", {}))]


Dimension = Values | Distribution


class SearchSpace:
    """Where a search looks: what it may set, and to which values.

    Parameters
    ----------
    estimator : estimator
        Whose parameters they are.
    param_distributions : dict, or list of dict
        Parameter -> distribution with ``ppf`` or sequence of values. Each dict of a list is a
        branch of its own.

    Attributes
    ----------
    branches : list of dict of str to Dimension
    size : float
        Number of different points; inf where a distribution is continuous.

    Raises
    ------
    TypeError, ValueError
        If a parameter does not exist, has no values, or is neither a distribution nor a sequence.
    """

    def __init__(self, estimator: Any, param_distributions: Any) -> None:
        several = isinstance(param_distributions, list | tuple)
        given = list(param_distributions) if several else [param_distributions]
        if not given or not all(isinstance(branch, Mapping) for branch in given):
            raise TypeError(
                "param_distributions must be a dict of parameter -> values, or a list of at least "
                f"one of them; got {param_distributions!r}"
            )
        for branch in given:
            _check_names(estimator, branch)
        self.branches = [
            {name: _dimension(name, branch[name]) for name in sorted(branch)} for branch in given
        ]
        self.size = sum(float(np.prod([d.size for d in b.values()])) for b in self.branches)
        self._dimensions = {
            f"{i}:{name}": dimension
            for i, branch in enumerate(self.branches)
            for name, dimension in branch.items()
        }
        self._free = {k: d for k, d in self._dimensions.items() if d.size > 1}

    def variables(self) -> dict[str, Any]:
        """Variables for pymoo, by name; those with one value are left out."""
        found = {name: dimension.variable() for name, dimension in self._free.items()}
        if len(self.branches) > 1:
            kinds = import_optional("pymoo.core.variable", extra="search")
            found[BRANCH] = kinds.Choice(options=list(range(len(self.branches))))
        return found

    def decode(self, point: Point) -> dict[str, Any]:
        """Parameters of a point."""
        i = int(point.get(BRANCH, 0))
        return {
            name: dimension.decode(point.get(f"{i}:{name}", 0))
            for name, dimension in self.branches[i].items()
        }

    def key(self, point: Point) -> tuple[Any, ...]:
        """What two points with the same parameters have in common."""
        i = int(point.get(BRANCH, 0))
        for j, branch in enumerate(self.branches[:i]):  # branches may overlap
            if branch.keys() == self.branches[i].keys():
                params = self.decode(point)
                genes = {f"{j}:{n}": d.encode(params[n]) for n, d in branch.items()}
                if None not in genes.values():
                    return self.key(genes | {BRANCH: j})
        return i, *(d.code(point.get(f"{i}:{n}", 0)) for n, d in self.branches[i].items())

    def encode(
        self, params: Mapping[str, Any], *, needed: Iterable[str] = (), nearly: bool = False
    ) -> Point | None:
        """The point with these parameters, in the first branch that allows them all.

        Parameters that a branch lacks are ignored, but for those that are `needed`. With `nearly`
        those that no branch allows, as a depth of None, are in the middle of theirs, in the branch
        with the fewest of them. None if there is no such point.
        """
        found: tuple[int, Point] | None = None
        middle = self._point(np.full(len(self._free) + 1, 0.5))
        for i, branch in enumerate(self.branches):
            if not branch.keys() >= set(needed):
                continue
            genes = {
                n: d.encode(params[n], nearly=nearly) if n in params else None
                for n, d in branch.items()
            }
            own = {f"{i}:{name}": gene for name, gene in genes.items() if gene is not None}
            n_missing = len(branch) - len(own)
            allowed = not n_missing or (nearly and own)
            if allowed and (found is None or n_missing < found[0]):
                found = n_missing, middle | own | {BRANCH: i}
        return None if found is None else found[1]

    def draw(self, n: int, rng: np.random.Generator) -> list[Point]:
        """Independent points."""
        return [self._point(u) for u in rng.random((n, len(self._free) + 1))]

    def spread(self, n: int, seed: int) -> list[Point]:
        """Points that cover the space evenly (scrambled Sobol)."""
        exponent = max(1, int(np.ceil(np.log2(max(n, 2)))))
        sequence = qmc.Sobol(len(self._free) + 1, seed=np.random.default_rng(seed))
        return [self._point(u) for u in sequence.random_base2(exponent)[:n]]

    def every(self) -> Iterator[Point]:
        """All points of a finite space."""
        for i, branch in enumerate(self.branches):
            for genes in product(*(d.genes() for d in branch.values())):
                own = {f"{i}:{name}": g for name, g in zip(branch, genes, strict=True)}
                yield self._point(np.full(len(self._free) + 1, 0.5)) | own | {BRANCH: i}

    def describe(self) -> list[dict[str, Any]]:
        """The space as JSON values that are the same in every process."""
        return [{name: d.describe() for name, d in b.items()} for b in self.branches]

    def _point(self, u: np.ndarray) -> Point:
        point: Point = {
            name: dimension.gene(float(x))
            for (name, dimension), x in zip(self._free.items(), u[1:], strict=True)
        }
        return point | {BRANCH: min(int(u[0] * len(self.branches)), len(self.branches) - 1)}


def _dimension(name: str, given: Any) -> Dimension:
    if hasattr(given, "ppf") and hasattr(given, "support"):
        return Distribution(given)
    if isinstance(given, str | bytes | Mapping) or not hasattr(given, "__iter__"):
        hint = ""
        if any(hasattr(given, name) for name in ("rvs", "sample", "resample")):
            hint = "; it has no ppf, by which the search reads it, as scipy.stats.uniform(...) has"
        raise TypeError(
            f"param_distributions[{name!r}] must be a distribution of scipy.stats or a sequence of "
            f"values; got {given!r}{hint}"
        )
    values = list(given)
    if not values:
        raise ValueError(
            f"param_distributions[{name!r}] is empty; give at least one value, or leave it out"
        )
    return Values(values)


def _check_names(estimator: Any, branch: Mapping[str, Any]) -> None:
    """Refuse parameters of neither the estimator nor of one that the branch puts into it."""
    known = set(estimator.get_params(deep=True))
    for name, values in branch.items():
        for value in values if isinstance(values, list | tuple) else ():
            if hasattr(value, "get_params") and not isinstance(value, type):
                known |= {f"{name}__{inner}" for inner in value.get_params(deep=True)}
    for name in branch:
        if name not in known:
            raise ValueError(
                f"param_distributions: {type(estimator).__name__} has no parameter {name!r}"
                f"{closest(name, sorted(known))}"
            )


def _distinct(values: Iterable[Any]) -> list[Any]:
    """Values without repetitions: nothing is evaluated twice."""
    out: list[Any] = []
    known: set[Any] = set()
    for value in values:
        if isinstance(value, Real | str) or value is None:  # quickly: there may be thousands
            key = (_kind(value), value)
            is_new = key not in known
            known.add(key)
        else:
            is_new = not any(value is one or _alike(value, one) for one in out)
        if is_new:
            out.append(value)
    return out


def _kind(value: Any) -> type:
    """What may be equal and yet means the same: 1 feature is not 1.0 of the features, nor True."""
    if not is_number(value):
        return type(value)
    return Integral if isinstance(value, Integral) else Real


def _alike(a: Any, b: Any) -> bool:
    """Equal, or estimators of one class with equal parameters."""
    if hasattr(a, "get_params") and hasattr(b, "get_params"):
        if isinstance(a, type) or isinstance(b, type):
            return a is b
        # not by their repr, which leaves out what is long
        return describe_estimator("it", a) == describe_estimator("it", b)
    try:
        return bool(_kind(a) is _kind(b) and a == b)
    except (TypeError, ValueError):  # arrays
        return False

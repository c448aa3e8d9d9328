"""A file that holds every finished fit of a study, so that it can be killed and go on."""

import hashlib
import json
import os
import re
from dis import get_instructions
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import Any

import joblib
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator

from skfairprop.scorers._group_scorer import GroupScorer

# Packages whose functions are what their name says.
_KNOWN_BY_NAME = {"builtins", "numpy", "pandas", "scipy", "skfairprop", "sklearn"}


class Checkpoint:
    """Finished fits of one study in a file of JSON lines; the first line says which study.

    Parameters
    ----------
    path : path-like
        Created if it does not exist.
    study : dict of str to JSON value
        What the study is made of; a file made of something else is refused.
    seed : int
        Of the study; where the study has none of its own, that of the file goes on.
    kept : dict of str to JSON value, optional
        What the first run settled and later ones go on with.

    Attributes
    ----------
    records : list of dict
        The fits that the file holds already.
    seed, kept
        Those of the file.

    Raises
    ------
    ValueError
        If the file is of another study, with what differs, or no checkpoint at all.
    """

    kind = "skfairprop propagation study"
    owner = "bias_propagation"
    work = "study"

    def __init__(
        self, path: Any, study: dict[str, Any], seed: int, kept: dict[str, Any] | None = None
    ) -> None:
        if not isinstance(path, str | os.PathLike):
            raise TypeError(f"checkpoint must be None or the path of a file; got {path!r}")
        self.path = Path(path)
        self.records: list[dict[str, Any]] = []
        self.seed = seed
        self.kept = kept or {}
        header = {
            "format": self.kind,
            "version": 1,
            "seed": seed,
            "kept": self.kept,
            "study": study,
        }
        self._pending = [json.dumps(header)]  # not written before there is a fit to keep
        if self.path.is_file() and self.path.stat().st_size:
            self._read(json.loads(self._pending[0])["study"])
        elif self.path.is_dir() or not self.path.parent.is_dir():
            raise ValueError(
                f"checkpoint {str(self.path)!r} cannot be written: it is a folder, or lies in none "
                "that exists"
            )

    def append(self, record: dict[str, Any]) -> None:
        """Add a finished fit; on disk when this returns."""
        lines = [*self._pending, json.dumps(record)]
        self._pending = []
        with self.path.open("a", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _read(self, here: dict[str, Any]) -> None:
        text = self.path.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]  # a line that was cut off is a fit that is lost
        start = self._pending[0].encode()[: len(f'{{"format": "{self.kind}"')]
        if not whole and text[: len(start)] == start[: len(text)]:  # killed in its first line
            os.truncate(self.path, 0)
            return
        try:
            header, *self.records = [json.loads(line) for line in whole.splitlines()]
            if header["format"] != self.kind or "kept" not in header:
                raise ValueError
        except (ValueError, KeyError, TypeError):
            raise ValueError(
                f"checkpoint {str(self.path)!r} is no file of {self.owner}; pass another path"
            ) from None
        there = header["study"]
        changed = [k for k in {**there, **here} if there.get(k) != here.get(k)]
        if changed:
            shown = [
                f"{k} was {there.get(k, 'absent')} and is {here.get(k, 'absent')}"
                for k in changed[:3]
            ]
            more = f"; and {len(changed) - 3} more" if len(changed) > 3 else ""
            raise ValueError(
                f"checkpoint {str(self.path)!r} is of another {self.work}: {'; '.join(shown)}"
                f"{more}; pass another path, or delete the file to start anew"
            )
        self._pending = []
        self.seed, self.kept = header["seed"], header["kept"]
        if len(whole) < len(text):
            os.truncate(self.path, len(whole))


def describe_estimator(prefix: str, estimator: Any) -> dict[str, str]:
    """Class and parameters of an estimator, by name, as text that is the same in every process."""
    out = {prefix: f"{type(estimator).__module__}.{type(estimator).__qualname__}"}
    if isinstance(estimator, BaseEstimator) or hasattr(estimator, "get_params"):
        for name, value in sorted(estimator.get_params(deep=True).items()):
            out[f"{prefix}__{name}"] = describe(value)
    return out


def describe(value: Any, within: tuple[int, ...] = ()) -> str:
    """A value as text that is the same in every process.

    `within` has the ids of the functions and objects that it is a part of.
    """
    if id(value) in within:
        return "itself"
    if hasattr(value, "get_params"):
        return type(value).__qualname__  # its own parameters are listed, too
    if isinstance(value, np.ndarray | pd.Series | pd.DataFrame | pd.Index) or sparse.issparse(
        value
    ):
        return digest(value)
    if isinstance(value, GroupScorer):
        return _describe_scorer(value)
    if type(value) in (list, tuple, dict):
        parts = value.items() if isinstance(value, dict) else value
        return f"{type(value).__name__}({', '.join(_describe_within(v, within) for v in parts)})"
    if type(value) in (set, frozenset):
        return f"{type(value).__name__}({', '.join(sorted(describe(v, within) for v in value))})"
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return f"{_plain(value)} {joblib.hash(value)}"
    within = (*within, id(value))
    if isinstance(value, FunctionType | MethodType | partial):
        return _describe_function(value, within)
    if hasattr(value, "split") or (callable(value) and not isinstance(value, type)):
        state = getattr(value, "__dict__", {})  # a splitter, a scorer
        return f"{_plain(value)} {describe(state, within)}" if state else _plain(value)
    return _plain(value)


def _describe_within(value: Any, within: tuple[int, ...]) -> str:
    if hasattr(value, "get_params") and not isinstance(value, type):
        return str(describe_estimator("it", value))
    return describe(value, within)


def _describe_scorer(scorer: GroupScorer) -> str:
    """Its repr shows neither the data that it holds nor what its function does."""
    measure = scorer.measure
    held = [scorer.sensitive_features, getattr(getattr(measure, "plan", None), "background", None)]
    held += [getattr(measure, "function", None)]
    held += [getattr(getattr(measure, "metric", None), "kernel", None)]
    return " ".join([_plain(scorer), *(describe(one) for one in held if one is not None)])


def _describe_function(value: Any, within: tuple[int, ...]) -> str:
    """Name of a function and checksum of what it does: two lambdas have the same name.

    That is its code, its defaults, what it encloses, and the numbers and texts that it reads from
    its module; not what it calls there.
    """
    if isinstance(value, partial):
        return f"partial({describe([value.func, value.args, value.keywords], within)})"
    if isinstance(value, MethodType):
        return f"{describe(value.__func__)} of {_describe_within(value.__self__, within)}"
    name = f"{value.__module__}.{value.__name__}"
    if str(value.__module__).partition(".")[0] in _KNOWN_BY_NAME:
        return f"function {name}"
    code = value.__code__
    set_here = {i.argval for i in get_instructions(code) if i.opname == "STORE_GLOBAL"}
    read = {n: value.__globals__.get(n) for n in code.co_names if n not in set_here}
    parts = [
        _code(code),
        describe(value.__defaults__, within),
        describe(value.__kwdefaults__, within),
        *(_describe_cell(cell, within) for cell in value.__closure__ or ()),
        describe({n: v for n, v in read.items() if isinstance(v, int | float | str)}),
    ]
    checksum = hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()
    return f"function {name} {checksum}"


def _describe_cell(cell: Any, within: tuple[int, ...]) -> str:
    try:
        return describe(cell.cell_contents, within)
    except ValueError:  # it is empty
        return "empty"


def _code(code: CodeType) -> str:
    """The instructions of a function, and the constants in them."""
    constants = (_code(c) if isinstance(c, CodeType) else describe(c) for c in code.co_consts)
    return " ".join([code.co_code.hex(), str(code.co_names), *constants])


def _plain(value: Any) -> str:
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))


def digest(data: Any) -> str:
    """Kind, shape and checksum of the values of data, the same in every process."""
    native = nw.from_native(data, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(native, nw.DataFrame | nw.Series) and not isinstance(
        data, pd.DataFrame | pd.Series
    ):
        data = native.to_pandas()
    if isinstance(data, pd.DataFrame | pd.Series):
        content = pd.util.hash_pandas_object(data).to_numpy().tobytes()
        content += repr(getattr(data, "columns", None)).encode()
    elif sparse.issparse(data):
        rows = data.tocsr()
        content = b"".join(part.tobytes() for part in (rows.data, rows.indices, rows.indptr))
    elif isinstance(data, list | tuple) or hasattr(data, "__array__"):
        array = np.asarray(data)
        if array.dtype == object:
            content = pd.util.hash_array(array.ravel().astype(str)).tobytes()
        else:
            content = np.ascontiguousarray(array).tobytes()
    else:
        content = joblib.hash(data).encode()
    shape = "x".join(map(str, getattr(data, "shape", ())))
    checksum = hashlib.blake2b(content, digest_size=8).hexdigest()
    return f"{type(data).__name__} {shape} {checksum}"

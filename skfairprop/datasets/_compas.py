"""ProPublica's COMPAS data, fetched from where it was published."""

import hashlib
import os
import tempfile
import time
import warnings
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any, Literal
from urllib.request import urlopen

import pandas as pd
from sklearn.datasets import get_data_home

from skfairprop._checks import check_choice, check_integer, check_number

from ._base import check_switches, pack_table, read_descr, read_table

URL = (
    "https://raw.githubusercontent.com/propublica/compas-analysis/"
    "bafff5da3f2e45eca6c2d5055faad269defd135a/compas-scores-two-years.csv"
)
SHA256 = "c451db85908b2f7fef1d83203bedf6b71ecda0d5af468d82ae62178f91d0cc7d"
N_RECORDS = 7_214
RAW_NAME = "compas-scores-two-years.csv"
REDUCED_NAME = "compas_two_years.csv.gz"

TARGET = "two_year_recid"
SENSITIVE = ["sex", "race", "age_cat"]
SCORES = ["decile_score", "score_text", "v_decile_score", "v_score_text"]
LEAKS = [*SCORES, "is_recid", "is_violent_recid"]
FEATURES = ["sex", "age", "age_cat", "race", "juv_fel_count", "juv_misd_count"]
FEATURES += ["juv_other_count", "priors_count", "c_charge_degree", "c_charge_desc"]
FEATURES += ["days_b_screening_arrest", "length_of_stay"]
COLUMNS = [*FEATURES, *LEAKS, TARGET, "propublica_filter"]


def fetch_compas(
    *,
    data_home: str | PathLike[str] | None = None,
    subset: Literal["all", "propublica"] = "all",
    drop_leaks: bool = True,
    drop_sensitive: bool = False,
    return_X_y: bool = False,
    as_frame: bool = True,
    download_if_missing: bool = True,
    n_retries: int = 3,
    delay: float = 1.0,
) -> Any:
    """Fetch ProPublica's COMPAS data: recidivism within two years, by sex, race and age.

    The table is downloaded on first use, as no licence allows to ship it. What is kept on disk has
    no names, dates of birth or case numbers.

    =================  ==========================================================
    Rows               7,214 (6,172 for ``subset="propublica"``)
    Features           12, mixed
    Classes            2
    Groups             sex (2), race (6) and age (3)
    Missing            c_charge_desc, days_b_screening_arrest, length_of_stay
    =================  ==========================================================

    Parameters
    ----------
    data_home : str or path-like, default=None
        Folder for downloaded data; by default scikit-learn's (``~/scikit_learn_data``). A file
        that is already there is used: ProPublica's own ``compas-scores-two-years.csv``, or the
        reduced table ``compas_two_years.csv.gz`` (or ``.csv``) that a first call leaves there.
    subset : {"all", "propublica"}, default="all"
        All rows, or those that ProPublica analysed: screened within 30 days of the arrest, not a
        mere traffic offence, with a score and a known outcome.
    drop_leaks : bool, default=True
        Leave out the columns that a model must not see: COMPAS's own scores and later outcomes.
        With False they are among the features, under the names in `leak_names`, so that the tool
        itself can be audited.
    drop_sensitive : bool, default=False
        Leave sex, race, age and age_cat out of the features. By default they stay in.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a Bunch.
    as_frame : bool, default=True
        Give data frames and series; otherwise arrays (of dtype object, as the features are mixed).
    download_if_missing : bool, default=True
        With False, raise instead of downloading.
    n_retries : int, default=3
        How often to try again when the download fails.
    delay : float, default=1.0
        Seconds between two tries.

    Returns
    -------
    Bunch
        With the entries

        data : DataFrame or ndarray of shape (n_samples, 12), or (n_samples, 18) with leaks
            Features; ``length_of_stay`` is the time in jail in whole days.
        target : Series or ndarray of shape (n_samples,)
            1 if the person was charged with a new crime within two years, else 0.
        frame : DataFrame, or None
            Features and target, if `as_frame` is True.
        sensitive_features : DataFrame of shape (n_samples, 3)
            ``sex``, ``race`` and ``age_cat``, always a data frame, with the index of `data`.
        feature_names, target_names : list of str
            Columns of `data`; what the classes 0 and 1 mean.
        leak_names : list of str
            The columns that must not be used as features.
        pos_label : int
            The favourable class 0. It is *not* 1, what metrics take for {0, 1} by default.
        DESCR : str
            Columns, source, and what to beware of.

    (data, target) : tuple, if `return_X_y` is True

    Raises
    ------
    ValueError
        If an argument is out of its range, or a file in `data_home` is not the expected one.
    OSError
        If the file is not there and cannot be downloaded, or not as it was published.

    Notes
    -----
    Arrests are not crimes: the label measures policing as well as conduct, and differently by
    race. Several lengths of follow-up are mixed (Barenstein, ProPublica's COMPAS Data Revisited,
    2019). The data describe real people.

    Source: J. Larson, S. Mattu, L. Kirchner and J. Angwin, How We Analyzed the COMPAS Recidivism
    Algorithm, ProPublica, 2016; file compas-scores-two-years.csv of their repository at commit
    bafff5d, of which the SHA-256 sum is checked.

    Examples
    --------
    >>> from skfairprop.datasets import fetch_compas
    >>> compas = fetch_compas()  # doctest: +SKIP
    >>> free = compas.target == compas.pos_label  # doctest: +SKIP
    >>> free.groupby(compas.sensitive_features["sex"]).mean().round(3).to_dict()  # doctest: +SKIP
    {'Female': 0.643, 'Male': 0.527}
    """
    _check_options(subset, drop_leaks, n_retries, delay)
    table = _read_or_download(data_home, download_if_missing, n_retries, delay)
    if subset == "propublica":
        table = table[table["propublica_filter"] == 1]
    features = [*FEATURES, *([] if drop_leaks else LEAKS)]
    return pack_table(
        table[[*features, TARGET]],
        target=TARGET,
        sensitive_features=table[SENSITIVE],
        protected=[*SENSITIVE, "age"],
        pos_label=0,
        descr=read_descr("compas"),
        drop_sensitive=drop_sensitive,
        return_X_y=return_X_y,
        as_frame=as_frame,
        target_names=["no recidivism", "recidivism"],
        leak_names=list(LEAKS),
    )


def _check_options(subset: str, drop_leaks: bool, n_retries: int, delay: float) -> None:
    check_choice("subset", subset, ("all", "propublica"))
    check_switches(drop_leaks=drop_leaks)
    check_integer("n_retries", n_retries, least=0)
    check_number("delay", delay, "[0, inf)")


def _read_or_download(
    data_home: str | PathLike[str] | None,
    download_if_missing: bool,
    n_retries: int,
    delay: float,
) -> pd.DataFrame:
    """The reduced table, from a file in `data_home` or else from the web."""
    folder = Path(get_data_home(data_home))
    for name in (REDUCED_NAME, REDUCED_NAME.removesuffix(".gz")):
        if (folder / name).exists():
            return _read_reduced(folder / name)
    if (folder / RAW_NAME).exists():
        return _read_raw(folder / RAW_NAME)
    if not download_if_missing:
        raise OSError(
            f"fetch_compas: neither {RAW_NAME} nor {REDUCED_NAME} is in {str(folder)!r}; "
            "pass download_if_missing=True, or data_home= with the folder that holds one of them"
        )
    table = _reduce(_download(folder, n_retries, delay))
    _save(table, folder / REDUCED_NAME)
    return table


def _read_reduced(path: Path) -> pd.DataFrame:
    table = read_table(path)
    absent = [name for name in COLUMNS if name not in table]
    if absent:
        raise ValueError(
            f"{str(path)!r} lacks the columns {', '.join(map(repr, absent))}; "
            "delete it to have it fetched again"
        )
    if len(table) != N_RECORDS:
        raise ValueError(
            f"{str(path)!r} has {len(table):,} rows instead of {N_RECORDS:,}; "
            "delete it to have it fetched again"
        )
    return table


def _read_raw(path: Path) -> pd.DataFrame:
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if digest != SHA256:
        raise ValueError(
            f"{str(path)!r} is not the file that ProPublica published: its SHA-256 sum is "
            f"{digest} instead of {SHA256}; delete it to have it fetched again"
        )
    return _reduce(content)


def _reduce(content: bytes) -> pd.DataFrame:
    """Keep the columns of use and no personal data; add length of stay and ProPublica's filter."""
    raw = read_table(BytesIO(content))
    stay = pd.to_datetime(raw["c_jail_out"]) - pd.to_datetime(raw["c_jail_in"])
    analysed = (
        raw["days_b_screening_arrest"].between(-30, 30)
        & (raw["is_recid"] != -1)
        & (raw["c_charge_degree"] != "O")
        & (raw["score_text"] != "N/A")
    )
    return raw.assign(length_of_stay=stay.dt.days, propublica_filter=analysed.astype(int))[COLUMNS]


def _download(folder: Path, n_retries: int, delay: float) -> bytes:
    """Content of the published file, checked; `folder` is where it could be put by hand."""
    content = _read_url(folder, n_retries, delay)
    digest = hashlib.sha256(content).hexdigest()
    if digest != SHA256:
        raise OSError(
            f"fetch_compas: what came from {URL} has the SHA-256 sum {digest} instead of {SHA256}; "
            f"get {RAW_NAME} from ProPublica by hand and save it in {str(folder)!r}"
        )
    return content


def _read_url(folder: Path, n_retries: int, delay: float) -> bytes:
    while True:
        try:
            with urlopen(URL, timeout=60) as response:
                content: bytes = response.read()
                return content
        except OSError as exc:  # URLError, TimeoutError and a broken connection are OSErrors
            if not n_retries:
                raise OSError(
                    f"fetch_compas: could not download {URL} ({exc}); save it as {RAW_NAME} in "
                    f"{str(folder)!r}, or pass data_home= with the folder that holds it"
                ) from exc
            warnings.warn(f"fetch_compas: trying again to download {URL} ({exc})", stacklevel=5)
            n_retries -= 1
            time.sleep(delay)


def _save(table: pd.DataFrame, path: Path) -> None:
    """Write the file at once: an interrupted or parallel call never leaves half of it."""
    handle, name = tempfile.mkstemp(prefix=path.name, suffix=".part", dir=path.parent)
    os.close(handle)
    try:
        table.to_csv(name, index=False, compression="gzip")
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink()
        raise

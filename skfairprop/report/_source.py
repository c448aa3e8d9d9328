"""What a report's page is told besides the counts: where they come from, and what to add."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields

import pandas as pd

from skfairprop._checks import check_choice

PLACES = ("data", "before_after", "drivers", "explanations", "estimations")


@dataclass(frozen=True, repr=False)
class Source:
    """Where the numbers of a report come from. What is not known is left out of the page.

    Attributes
    ----------
    title : str
        Of the page.
    rows, columns : int
        Of the table.
    target : str
        Name of the column with the true classes.
    model, protocol : str
        What made the predictions, and on which rows.
    protected_seen : sequence of str
        Protected columns among the inputs of the model; None: not known.
    trusted : sequence of str
        Types of the model file that had to be trusted to read it.
    sha256 : str
        Of the table.
    command : str
        That makes the report again.
    notes : sequence of str
        What to keep in mind about these data.
    versions : dict of str to str
        Of the packages, by their names.
    made : str
        When.

    Examples
    --------
    >>> from skfairprop import fairness_report
    >>> from skfairprop.report import Source
    >>> report = fairness_report([1, 0] * 20, [1, 0] * 20, sensitive_features=list("aabb") * 10)
    >>> page = report.to_html(source=Source(title="Loans of 2026", rows=40))
    >>> "<title>Loans of 2026" in page
    True
    """

    title: str | None = None
    rows: int | None = None
    columns: int | None = None
    target: str | None = None
    model: str | None = None
    protocol: str | None = None
    protected_seen: Sequence[str] | None = None
    trusted: Sequence[str] = ()
    sha256: str | None = None
    command: str | None = None
    notes: Sequence[str] = ()
    versions: dict[str, str] = field(default_factory=dict)
    made: str | None = None

    def __repr__(self) -> str:
        known = {f.name: getattr(self, f.name) for f in fields(self)}
        return f"Source({', '.join(f'{k}={v!r}' for k, v in known.items() if v)})"


@dataclass(frozen=True, eq=False, repr=False)
class Section:
    """Something to add to the page: paragraphs, a table, a picture.

    Parameters
    ----------
    title : str
        Its heading.
    place : {"data", "before_after", "drivers", "explanations", "estimations"}
        Which chapter it goes to. A chapter without sections is left out.
    text : sequence of str
        Paragraphs.
    table : DataFrame, optional
        Shown with its index; floats with three decimals.
    caption : str
        Of the table.
    svg : str, optional
        A picture. It is put into the page as it is, so it must come from code that you trust.
    description : str
        What the picture shows, for those who cannot see it.

    Raises
    ------
    ValueError
        If there is no such place.

    Examples
    --------
    >>> from skfairprop import fairness_report
    >>> from skfairprop.report import Section
    >>> report = fairness_report([1, 0] * 20, [1, 0] * 20, sensitive_features=list("aabb") * 10)
    >>> page = report.to_html(sections=[Section("Why it matters", text=["Loans are few."])])
    >>> "Loans are few." in page
    True
    """

    title: str
    place: str = "drivers"
    text: Sequence[str] = ()
    table: pd.DataFrame | None = None
    caption: str = ""
    svg: str | None = None
    description: str = ""

    def __post_init__(self) -> None:
        check_choice("place", self.place, PLACES)

    def __repr__(self) -> str:
        return f"Section({self.title!r}, place={self.place!r})"

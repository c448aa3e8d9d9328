"""What a report's page is told besides the counts: where they come from, and what to add."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

PLACES = ("data", "before_after", "drivers", "explanations", "estimations")


@dataclass(frozen=True)
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
    made : str
        When.
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


@dataclass(frozen=True)
class Section:
    """Something to add to the page: paragraphs, a table, a picture.

    Parameters
    ----------
    title : str
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
    """

    title: str
    place: str = "drivers"
    text: Sequence[str] = ()
    table: pd.DataFrame | None = None
    caption: str = ""
    svg: str | None = None
    description: str = ""

    def __post_init__(self) -> None:
        if self.place not in PLACES:
            raise ValueError(f"place must be one of {PLACES}; got {self.place!r}")

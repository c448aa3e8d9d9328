"""Names of types that occur in many signatures.

Labels, protected columns and tables are ``Any``: every container of rows is taken, and no union of
their types would say which ones.
"""

from collections.abc import Sequence

import numpy as np

# One number or many: not numpy's ArrayLike, whose long union is unreadable in a signature.
Numbers = float | Sequence[float] | Sequence[Sequence[float]] | np.ndarray

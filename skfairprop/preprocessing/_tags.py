"""What scikit-learn should know about estimators that pass rows on without reading them."""

from typing import Any


def mark_unread(tags: Any) -> None:
    """Mark in `tags` that X may hold anything and that only y is needed."""
    tags.target_tags.required = True
    tags.input_tags.sparse = True
    tags.input_tags.allow_nan = True
    tags.input_tags.string = True
    tags.input_tags.categorical = True
    tags.input_tags.three_d_array = True
    tags.no_validation = True

"""Fixtures of the scorer tests."""

import pytest
import sklearn

from tests.scorers.people import WAYS


@pytest.fixture
def routing():
    """Metadata routing is on."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture(params=WAYS)
def way(request):
    """How the scorer is told the protected attribute; routing is on where that is the way."""
    with sklearn.config_context(enable_metadata_routing=request.param == "routed"):
        yield request.param

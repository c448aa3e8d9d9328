"""How hypothesis runs: the same examples every time, so that a red build stays red.

``HYPOTHESIS_PROFILE=thorough`` looks much further, with new examples in every run.
"""

import os

from hypothesis import HealthCheck, settings

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("fast", max_examples=8, derandomize=True, database=None, **_COMMON)
settings.register_profile("thorough", max_examples=200, database=None, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))

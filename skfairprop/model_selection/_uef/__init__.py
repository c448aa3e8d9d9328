"""The parts of ``UEFSearchCV``, from what is asked to what is found.

``_search`` is the class; ``_fitted`` holds what it can be asked afterwards. ``_settings`` checks
its arguments and ``_setup`` turns them into what the work needs. ``_run`` goes from generation to
generation: ``_algorithm`` proposes points of the ``_space``, and ``_evaluate`` lets the workers
fit them (``_folds``), measures them at every threshold (``_points``, by the ``_objectives`` on
``_views`` of the rows), and keeps them as ``_candidates``. ``_front`` makes the tables of what was
found, ``_refit`` and ``_ensemble`` the model, and ``_transfer`` asks how it does on other rows.
"""

from skfairprop.model_selection._uef._search import UEFSearchCV

__all__ = ["UEFSearchCV"]

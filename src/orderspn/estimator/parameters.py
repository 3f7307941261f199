"""Parameters of the estimator: the arguments of `learn`, and settings of the method as nested parameters."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from orderspn.core.errors import InvalidType, InvalidValue
from orderspn.learning import learn
from orderspn.methods.registry import as_method

OF_DATA = ("data", "interventions", "targets")
"""Arguments of `learn` that `fit` takes."""

RENAMED = {"score": "score_function"}
"""Arguments of `learn` with another name here: in scikit-learn `score` is a method."""

NESTED = "method__"

PARAMETERS: Mapping[str, Any] = {
    RENAMED.get(name, name): parameter.default
    for name, parameter in inspect.signature(learn).parameters.items()
    if name not in OF_DATA
}
"""Defaults by name."""


def signature_of_init() -> inspect.Signature:
    """Return the signature of `OrderSPN`, for scikit-learn and for documentation."""
    kinds = inspect.Parameter
    own = [kinds(name, kinds.KEYWORD_ONLY, default=default) for name, default in PARAMETERS.items()]
    return inspect.Signature([kinds("self", kinds.POSITIONAL_OR_KEYWORD), *own])


def complete(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters completed with defaults."""
    for name in parameters:
        _check_known(name, InvalidType)
    return {**PARAMETERS, **parameters}


def _check_known(name: str, error: type[InvalidType | InvalidValue]) -> None:
    if name not in PARAMETERS:
        raise error(
            f"{name!r} is not a parameter of OrderSPN, whose parameters are {', '.join(PARAMETERS)}. Settings of a "
            "method belong to its value, for instance method=methods.Gadget(n_graphs=500)."
        )


class Parameters:
    """Parameters of an estimator by name, as in scikit-learn's `BaseEstimator`, for use without scikit-learn."""

    method: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with `deep` also the settings of the method."""
        own = {name: getattr(self, name) for name in PARAMETERS}
        if deep and hasattr(self.method, "get_params"):
            own |= {NESTED + name: value for name, value in self.method.get_params().items()}
        return own

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name."""
        for name, value in params.items():
            _check_known(name, InvalidValue)
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        changed = {name: value for name, value in self.get_params(deep=False).items() if value != PARAMETERS[name]}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"


if TYPE_CHECKING:
    Known = Parameters
    NotFitted = InvalidValue
else:
    try:
        from sklearn.base import BaseEstimator, DensityMixin
        from sklearn.exceptions import NotFittedError
    except ImportError:
        Known, NotFitted = Parameters, InvalidValue
    else:

        class Known(DensityMixin, BaseEstimator):
            """The base classes of scikit-learn for density estimators."""

            def __sklearn_tags__(self) -> Any:
                """Tell scikit-learn that missing values are accepted."""
                tags = super().__sklearn_tags__()
                tags.input_tags.allow_nan = True
                return tags

        class NotFitted(InvalidValue, NotFittedError):
            """The error for an estimator that is not fitted."""


class Base(Known):
    """Parameters with nested settings of the method; setting one of them makes a new method value."""

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, also nested ones such as `method__effort`."""
        nested = {name.removeprefix(NESTED): value for name, value in params.items() if name.startswith(NESTED)}
        super().set_params(**{name: value for name, value in params.items() if not name.startswith(NESTED)})
        if nested:
            self.method = as_method(self.method).with_settings(**nested)
        return self

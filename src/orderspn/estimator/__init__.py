"""The face that scikit-learn knows."""

from orderspn.estimator.order_spn import OrderSPN

__all__ = ["OrderSPN"]

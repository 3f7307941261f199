"""The scikit-learn estimator."""

from orderspn.estimator.order_spn import OrderSPN

__all__ = ["OrderSPN"]

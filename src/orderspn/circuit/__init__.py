"""OrderSPNs: circuits of sums over partitions and products of their parts, with blocks at the bottom."""

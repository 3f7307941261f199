"""OrderSPNs: circuits of sums over partitions and products of their parts, ending in exact blocks."""

"""Equations, conversions, partitions and ratios in prose."""

"""CMP: what is said of engines, kernels and GPUs."""

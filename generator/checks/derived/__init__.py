"""DRV: what is stated against what follows."""

"""WIR: whether the cited document is the right one."""

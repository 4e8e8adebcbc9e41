"""Double entry for prose: every number balances with something, or is reported."""

"""The words in which prose speaks of config fields."""

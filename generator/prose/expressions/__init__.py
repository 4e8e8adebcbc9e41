"""Values that prose computes, ``{{ kv.growth('bf16') }}``."""

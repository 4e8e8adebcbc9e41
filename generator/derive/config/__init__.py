"""What a Hugging Face config says: its fields, the language model inside, what each key means for the cache."""

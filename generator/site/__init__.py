"""The site: pages as plain functions of a knowledge base, and what publishes them."""

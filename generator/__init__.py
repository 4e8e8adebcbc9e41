"""The generator behind Servebook: records and sources in, checked findings and pages out."""

__version__ = "0.1.0"

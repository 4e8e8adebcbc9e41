"""How things are written: citations, braces, headings, units, versions, GPUs, addresses. No record is known here."""

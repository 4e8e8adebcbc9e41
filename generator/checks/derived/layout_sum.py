"""DRV306: a cache format whose parts do not add up."""

from __future__ import annotations

from collections.abc import Iterator

from generator.checks.contract import Check, Tally, check
from generator.findings import Finding, Severity
from generator.knowledge.knowledge_base import KnowledgeBase


@check("DRV306", Severity.ERROR)
def layout_sum(this: Check, kb: KnowledgeBase, tally: Tally) -> Iterator[Finding]:
    """The parts of a cache format do not add up to its entry.

    Why it matters
    Every published byte count rests on these numbers.

    Bad
    ```yaml records/kernels/wrong.yaml
    # yaml-language-server: $schema=../../schema/kernel.schema.json
    name: A kernel
    library: Tiny Engine
    version: "1.0"
    license: Apache-2.0
    kernel_classes: []
    cache_formats:
      - id: row
        roles: [kv]
        bytes_per_entry: 656
        scalars: 576
        layout:
          - {what: latent, part: data, count: 512, dtype: fp8_e4m3, bytes: 512}
          - {what: rope key, part: data, count: 64, dtype: bf16, bytes: 128}
        cite: "[[tiny-dtypes]]"
    cites: ["[[tiny-dtypes]]"]
    ```

    Good
    ```yaml records/kernels/right.yaml
    # yaml-language-server: $schema=../../schema/kernel.schema.json
    name: A kernel
    library: Tiny Engine
    version: "1.0"
    license: Apache-2.0
    kernel_classes: []
    cache_formats:
      - id: row
        roles: [kv]
        bytes_per_entry: 656
        scalars: 576
        layout:
          - {what: latent, part: data, count: 512, dtype: fp8_e4m3, bytes: 512}
          - {what: scale of 128, part: scale, count: 4, dtype: fp32, bytes: 16}
          - {what: rope key, part: data, count: 64, dtype: bf16, bytes: 128}
        cite: "[[tiny-dtypes]]"
    cites: ["[[tiny-dtypes]]"]
    ```

    How to fix
    Add the part that is missing, or correct the sum; `scalars` counts the data parts only.
    """
    for stored in kb.formats.by_id.values():
        record, index = stored.record, stored.index
        layout = record.get("cache_formats", index, "layout")
        if not layout:
            tally.not_checkable += 1
            continue
        tally.checked += 1
        total = sum(part["bytes"] for part in layout)
        width = sum(part["count"] for part in layout if part["part"] == "data")
        stated, scalars = stored.format.bytes_per_entry, stored.format.scalars
        parts = " + ".join(str(part["bytes"]) for part in layout)
        if total != stated:
            message = f"the parts of {stored.format.id} are {parts} = {total} bytes, the entry is said to have {stated}"
            yield this.finding(record.at("cache_formats", index, "bytes_per_entry"), message, record.id)
        elif width != scalars:
            message = f"the data parts of {stored.format.id} hold {width} scalars, the entry is said to have {scalars}"
            yield this.finding(record.at("cache_formats", index, "scalars"), message, record.id)

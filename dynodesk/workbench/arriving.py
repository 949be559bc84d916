"""Items of a page as the engine takes them: a column of their texts.

The engine could take a page apart by itself, but it writes each item anew for that, and needs three times as long.
"""

from __future__ import annotations

import contextlib
import ctypes

import pyarrow as pa

from dynodesk.domain.bulk import RawPage

SCHEMA = pa.schema([("item", pa.large_string())])


def items_of(page: RawPage) -> pa.RecordBatch:
    """A row for each item, its text as it came: the page's own bytes, not copied."""
    buffers = [None, pa.py_buffer(page.offsets), pa.py_buffer(page.texts)]
    return pa.record_batch([pa.Array.from_buffers(pa.large_string(), page.count, buffers)], schema=SCHEMA)


def give_back_freed() -> None:
    """Return to the system what freed pages took.

    glibc keeps room for some fifty of them, once it has seen blocks of their size: a tenth of what a load of a million
    items takes. To have it keep none would cost more, for every page would be mapped and cleared anew.
    """
    with contextlib.suppress(OSError, TypeError, AttributeError):  # another library of C, or none that has a name
        ctypes.CDLL(None).malloc_trim(0)

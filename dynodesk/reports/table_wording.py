"""What is told of a table, in words."""

from __future__ import annotations

from dynodesk.domain.cells import byte_text, visible
from dynodesk.domain.tables import IndexInfo, KeySchema, Projection, Recovery, TableInfo, Throughput, TimeToLive

CLASSES = {"STANDARD": "Standard", "STANDARD_INFREQUENT_ACCESS": "Standard, infrequent access"}
TYPES = {"S": "string", "N": "number", "B": "binary"}
STREAM_WORDS = {
    "KEYS_ONLY": "keys only",
    "NEW_IMAGE": "item after the change",
    "OLD_IMAGE": "item before the change",
    "NEW_AND_OLD_IMAGES": "item before and after the change",
}


def key_words(schema: KeySchema) -> str:
    """Every attribute with its part in the key and its type."""
    several = len(schema.partition) > 1 or len(schema.sort) > 1
    parts = [("partition", schema.partition), ("sort", schema.sort)]
    return ", ".join(
        f"{visible(attribute.name)} ({name}{f' {n}' if several else ''}, {TYPES[attribute.type]})"
        for name, attributes in parts
        for n, attribute in enumerate(attributes, start=1)
    )


def age_words() -> str:
    return "as last estimated by the service, up to six hours ago"


def size_words(info: TableInfo | IndexInfo) -> str:
    """`about 1,204 items, 300 KB`: an estimate, and never told without its age."""
    if info.item_count_estimate is None:
        return "How many items there are is not told"
    size = "" if info.size_bytes_estimate is None else f", {byte_text(info.size_bytes_estimate)}"
    return f"About {info.item_count_estimate:,} items{size}"


def projection_words(projection: Projection) -> str:
    match projection.kind:
        case "ALL":
            return "all attributes"
        case "KEYS_ONLY":
            return "keys only"
        case "INCLUDE":
            return f"keys and {', '.join(map(visible, projection.included))}"


def state_words(index: IndexInfo) -> str:
    if index.is_backfilling:
        return "backfilling"
    return index.status.lower()


def billing_words(info: TableInfo) -> str:
    match info.billing:
        case "PAY_PER_REQUEST":
            return "On-demand"
        case "PROVISIONED":
            return "Provisioned"
        case other:
            return other or "not told"


def capacity_words(throughput: Throughput | None, billing: str) -> str:
    if billing == "PROVISIONED":
        return "" if throughput is None else f"{_units(throughput.read)} RCU, {_units(throughput.write)} WCU"
    if throughput is None:
        return "no limit of its own"
    return f"at most {_units(throughput.read)} read and {_units(throughput.write)} write units a second"


def _units(units: int | None) -> str:
    return "any number of" if units is None else f"{units:,}"


def time_to_live_words(found: TimeToLive) -> str:
    match found.status:
        case "ENABLED":
            return f"On: an item expires at the time in {visible(found.attribute)}"
        case "ENABLING" | "DISABLING":
            return f"{found.status.capitalize()}: {visible(found.attribute)}"
        case _:
            return "Off"


def recovery_words(found: Recovery) -> str:
    if found.status != "ENABLED":
        return "Off: deleted or changed items cannot be had back"
    if not (found.earliest and found.latest):
        return "On"
    return f"On: any moment from {moment_words(found.earliest)} to {moment_words(found.latest)}"


def moment_words(iso: str) -> str:
    """`2026-01-02 03:04:05 UTC`."""
    return iso[:19].replace("T", " ") + " UTC" if iso else "not told"

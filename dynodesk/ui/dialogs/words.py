"""What the dialogs for connections say."""

from __future__ import annotations

from dynodesk.domain.access import HOLDING_STAGES, IDLE_SECONDS
from dynodesk.domain.profiles import CredentialSource, Kind, Stage
from dynodesk.store.secrets import KeyringState
from dynodesk.ui.dialogs.draft import Draft

TITLES: dict[Kind, tuple[str, str]] = {
    "aws": ("Connect to AWS", "With the credentials picked here, whatever the environment says."),
    "endpoint": ("Connect to an endpoint", "DynamoDB Local, another emulator or a VPC endpoint, with TLS checked."),
}
SOURCES: dict[CredentialSource, str] = {
    "dummy": "Made-up keys",
    "profile": "AWS profile",
    "keys": "Typed keys",
    "environment": "Environment",
}
STAGES: dict[Stage, str] = {"production": "Production", "staging": "Staging", "dev": "Development"}
ADDRESS_HINT = "Scheme, host and port. Plain http is for this computer only."
READ_ONLY = "Read-only: no write leaves this computer."
MAY_WRITE = "It may write at once. Each write shows its exact request first, and is in the journal."
MAY_BE_ALLOWED = (
    f"Opens read-only. Allow writes… lets it write until it has been idle for {IDLE_SECONDS // 60} minutes."
)


def writing_words(draft: Draft) -> str:
    """What the connection may write, and when."""
    if not draft.may_write:
        return READ_ONLY
    return MAY_WRITE if draft.stage in HOLDING_STAGES else MAY_BE_ALLOWED


def source_hint(draft: Draft) -> str:
    if draft.sources == ("keys",):
        return "A host that is neither this computer nor AWS gets only keys that were typed for it."
    match draft.source:
        case "dummy":
            return "Enough for an emulator, and sent to this computer only."
        case "environment":
            return "From AWS_ACCESS_KEY_ID and the like, as they were when dynodesk was started."
        case "profile" | "keys":
            return ""


def region_hint(draft: Draft) -> tuple[str, str]:
    """What stands below the field, and what in it while it is empty."""
    if draft.kind == "endpoint" and not (draft.endpoint and draft.endpoint.is_aws):
        return "An emulator takes any.", "us-east-1"
    match draft.source:
        case "profile" if draft.aws_region:
            return "Left empty, it is the AWS profile's.", draft.aws_region
        case "environment":
            return "Left empty, it is that of AWS_REGION or AWS_DEFAULT_REGION.", ""
        case _:
            return "Its code, such as eu-west-1.", ""


def kept_words(source: CredentialSource, keep: bool, keyring: KeyringState | None) -> str:
    """Where the keys of a connection will be, in a sentence. `keyring` None: it is still being looked for."""
    match source:
        case "dummy":
            return "Made-up keys are no secret: there is nothing to keep."
        case "profile":
            return "The keys stay where the AWS profile has them; only the profile's name is kept."
        case "environment":
            return "The keys stay in the environment; none are kept."
        case "keys" if not keep:
            return "The keys are used until dynodesk ends, and are written nowhere."
        case "keys":
            return _kept_keys_words(keyring)


def _kept_keys_words(keyring: KeyringState | None) -> str:
    if keyring is None:
        return "Looking for a keyring…"
    match keyring.kind:
        case "available":
            return f"The keys go to the keyring ({keyring.keyring}), never into a file."
        case "locked":
            return f"The keys go to the keyring ({keyring.keyring}), which will ask for its password."
        case "absent" if keyring.keyring:
            return f"The keyring cannot be used: {keyring.reason} Keep nothing, or try again once it works."
        case "absent":
            return (
                "No keyring: the keys are used until dynodesk ends, and are written nowhere. "
                "The connection is kept without them."
            )

"""A request as the JSON that is sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dynodesk.codegen.places import DEFAULT, Place
from dynodesk.codegen.texts import escaped_json


def as_json(_operation: str, parameters: Mapping[str, Any], _place: Place = DEFAULT) -> str:
    return escaped_json(json.dumps(parameters, indent=2, ensure_ascii=False))

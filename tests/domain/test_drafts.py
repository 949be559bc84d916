"""Drafts say what requests say, and are the same again after they were kept."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from dynodesk.domain.drafts import Draft, draft_from_json, draft_of, draft_to_json
from dynodesk.domain.errors import InvalidFile
from tests.domain.composed_requests import ComposedRequests

KEPT: dict[str, Any] = draft_to_json(draft_of(ComposedRequests(Random(5)).request()))


@pytest.mark.parametrize("seed", range(60))
def test_a_draft_is_the_same_after_it_was_kept(seed: int) -> None:
    draft = draft_of(ComposedRequests(Random(seed)).request(), may_create=seed % 2 == 0)
    again = draft_from_json(json.loads(json.dumps(draft_to_json(draft))))
    assert again == draft
    assert draft_to_json(again) == draft_to_json(draft)  # equal numbers keep their spelling, too


@pytest.mark.parametrize(
    "damaged",
    [
        None,
        [],
        {},
        {**KEPT, "operation": "BatchWriteItem"},
        {**KEPT, "operation": []},
        {**KEPT, "actions": [{"kind": "Put"}]},
        {**KEPT, "operation": "GetItem", "actions": [draft_to_json(Draft("PutItem"))]},
        {**KEPT, "statements": [{"text": 5, "parameters": []}]},
        {**KEPT, "statements": [{"text": "", "parameters": [{"Q": "1"}]}]},
        {**KEPT, "token": None},
        {**KEPT, "consistent": 1},
    ],
)
def test_what_is_no_kept_draft_is_refused(damaged: object) -> None:
    with pytest.raises(InvalidFile, match="cannot be read"):
        draft_from_json(damaged)

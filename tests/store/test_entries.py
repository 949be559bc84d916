"""A secret in parts: whole or as it was, whatever happens in between."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

import pytest

from dynodesk.domain.profiles import Credentials
from dynodesk.store.secrets import KeyringUnavailable, SecretDamaged, SecretStore, SecretTooLong
from tests.store.vault import NAME, NEW, OLD, SHORT, Killed, Vault, VaultError, entry, is_tidy, store_in


@pytest.fixture
def vault() -> Vault:
    return Vault()


@pytest.mark.parametrize("length", [0, 1, 1_000, 1_080, 1_100, 1_600, 2_400, 4_096, 15_000, 16_200])
def test_keys_of_every_length_come_back(vault: Vault, length: int) -> None:
    credentials = Credentials("ASIAIOSFODNN7EXAMPLE", "s" * 40, "t" * length)
    store_in(vault).save(NAME, credentials)
    assert store_in(vault).load(NAME) == credentials
    assert is_tidy(vault, credentials)
    assert max(len(text) for text in vault.entries.values()) <= 1_200


def test_text_outside_ascii_comes_back(vault: Vault) -> None:
    credentials = Credentials('é\u0000"\\', "\U0001f511" * 300, "\ud800")
    store_in(vault).save(NAME, credentials)
    assert store_in(vault).load(NAME) == credentials


def test_more_than_16_kilobytes_are_refused(vault: Vault) -> None:
    store_in(vault).save(NAME, OLD)
    with pytest.raises(SecretTooLong, match="16,384"):
        store_in(vault).save(NAME, Credentials("ASIAIOSFODNN7EXAMPLE", "s" * 40, "t" * 16_400))
    assert store_in(vault).load(NAME) == OLD


def test_none_means_that_there_are_none(vault: Vault) -> None:
    assert store_in(vault).load(NAME) is None


def test_secrets_do_not_mix(vault: Vault) -> None:
    store = store_in(vault)
    store.save("profile-1", OLD)
    store.save("profile-2", NEW)
    store.delete("profile-1")
    assert store.load("profile-1") is None
    assert store.load("profile-2") == NEW


@pytest.mark.parametrize("name", ["", "a/b", "a b", "x" * 101, "é"])
def test_a_name_of_ours_is_needed(vault: Vault, name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        store_in(vault).load(name)


def test_overwriting_and_deleting_leave_nothing(vault: Vault) -> None:
    store = store_in(vault)
    for credentials in (SHORT, NEW, OLD, SHORT, NEW):
        store.save(NAME, credentials)
        assert store.load(NAME) == credentials
        assert is_tidy(vault, credentials)
    store.delete(NAME)
    assert vault.entries == {}
    store.delete(NAME)


# Cuts


def steps_of(act: Callable[[SecretStore], object], before: Credentials | None) -> int:
    vault = Vault()
    if before:
        store_in(vault).save(NAME, before)
    vault.behave()
    act(store_in(vault))
    return vault.steps


def at_step(cut: int) -> Callable[[int], BaseException | None]:
    return lambda step: VaultError("once") if step == cut else None


def from_step(cut: int) -> Callable[[int], BaseException | None]:
    return lambda step: VaultError("gone") if step >= cut else None


def killed_at(cut: int) -> Callable[[int], BaseException | None]:
    return lambda step: Killed() if step >= cut else None


FAULTS = pytest.mark.parametrize("fault", [at_step, from_step, killed_at])
EFFECT = pytest.mark.parametrize("takes_effect", [False, True], ids=["before", "after"])


@FAULTS
@EFFECT
@pytest.mark.parametrize("before", [None, OLD, SHORT], ids=["none", "long", "short"])
def test_a_cut_save_leaves_the_old_keys_or_the_new(
    fault: Callable[[int], Callable[[int], BaseException | None]], takes_effect: bool, before: Credentials | None
) -> None:
    outcomes = set()
    steps = steps_of(lambda store: store.save(NAME, NEW), before)
    for cut in range(1, steps + 1):
        vault = Vault()
        if before:
            store_in(vault).save(NAME, before)
        vault.behave()
        vault.fail, vault.fail_after = fault(cut), takes_effect
        with pytest.raises(KeyringUnavailable) as caught:
            store_in(vault).save(NAME, NEW)
        vault.behave()
        found = store_in(vault).load(NAME)
        match caught.value.written:
            case "nothing":
                assert found == before
            case "applied":
                assert found == NEW
            case "unknown":
                assert found in {before, NEW}
        outcomes.add((caught.value.written, found == NEW))
        # a failure that passed leaves no parts about; whatever is left goes with the next save, and with a delete
        if fault is at_step and caught.value.written == "nothing":
            assert is_tidy(vault, before) if before else vault.entries == {}
        leftovers = dict(vault.entries)
        store_in(vault).save(NAME, SHORT)
        assert store_in(vault).load(NAME) == SHORT
        assert is_tidy(vault, SHORT)
        vault.entries = leftovers
        store_in(vault).delete(NAME)
        assert vault.entries == {}
    assert ("applied", True) in outcomes or before is None
    assert any(written != "applied" and not is_new for written, is_new in outcomes)


@FAULTS
@EFFECT
def test_a_cut_delete_can_be_finished(
    fault: Callable[[int], Callable[[int], BaseException | None]], takes_effect: bool
) -> None:
    for cut in range(1, steps_of(lambda store: store.delete(NAME), NEW) + 1):
        vault = Vault()
        store_in(vault).save(NAME, NEW)
        vault.behave()
        vault.fail, vault.fail_after = fault(cut), takes_effect
        with pytest.raises(KeyringUnavailable):
            store_in(vault).delete(NAME)
        vault.behave()
        assert store_in(vault).load(NAME) in {NEW, None}
        store_in(vault).delete(NAME)
        assert vault.entries == {}


# Keyrings that are not what they say


def test_a_keyring_that_keeps_nothing_is_found_out() -> None:
    class Null(Vault):
        def set_password(self, service: str, username: str, password: str) -> None:
            pass

    with pytest.raises(KeyringUnavailable, match="did not keep") as caught:
        store_in(Null()).save(NAME, SHORT)
    assert caught.value.written == "nothing"


def test_a_keyring_that_shortens_is_found_out(vault: Vault) -> None:
    class Shortening(Vault):
        def set_password(self, service: str, username: str, password: str) -> None:
            super().set_password(service, username, password[:255])

    with pytest.raises(KeyringUnavailable, match="did not keep"):
        store_in(Shortening()).save(NAME, OLD)


def test_a_keyring_that_removes_nothing_is_found_out() -> None:
    class Clinging(Vault):
        def delete_password(self, service: str, username: str) -> None:
            pass

    vault = Clinging()
    store_in(vault).save(NAME, SHORT)
    with pytest.raises(KeyringUnavailable, match="did not remove"):
        store_in(vault).delete(NAME)


def test_several_matches_are_all_removed() -> None:
    class Doubling(Vault):
        """A Secret Service that another program has filled: deleting removes one match of three."""

        copies = 0

        def delete_password(self, service: str, username: str) -> None:
            self.copies += 1
            if self.copies % 3 == 0:
                super().delete_password(service, username)

    vault = Doubling()
    store_in(vault).save(NAME, NEW)
    store_in(vault).delete(NAME)
    assert vault.entries == {}


@pytest.mark.parametrize(
    "spoil",
    [
        lambda vault: vault.entries.pop(entry(vault, "a1")),
        lambda vault: vault.entries.update({entry(vault, "a1"): ""}),
        lambda vault: vault.entries.update({entry(vault, "a1"): "x" * 1200}),
        lambda vault: vault.entries.update({entry(vault, "a1"): vault.entries[entry(vault, "a0")]}),
        lambda vault: vault.entries.update({entry(vault, "manifest"): "{}"}),
        lambda vault: vault.entries.update({entry(vault, "manifest"): ""}),
        lambda vault: vault.entries.update({entry(vault, "manifest"): "[1]"}),
        lambda vault: vault.entries.update(
            {entry(vault, "manifest"): '{"generation": "a", "parts": 99999999, "length": 1, "sha256": ""}'}
        ),
        lambda vault: vault.entries.update(
            {entry(vault, "manifest"): '{"generation": [], "parts": "1", "length": 1, "sha256": ""}'}
        ),
    ],
    ids=["part gone", "part empty", "part changed", "part doubled", *(f"manifest {n}" for n in range(5))],
)
def test_damage_is_told_and_typing_the_keys_again_heals_it(vault: Vault, spoil: Callable[[Vault], object]) -> None:
    store_in(vault).save(NAME, OLD)
    spoil(vault)
    with pytest.raises(SecretDamaged, match="damaged") as caught:
        store_in(vault).load(NAME)
    assert "again" in caught.value.hint
    store_in(vault).save(NAME, NEW)
    assert store_in(vault).load(NAME) == NEW
    store_in(vault).delete(NAME)
    assert vault.entries == {}


@pytest.mark.parametrize("text", ["5", "[]", "{}", '{"access_key_id": 1, "secret_access_key": "x"}', '"x"', "{"])
def test_a_whole_secret_that_is_not_keys_is_damage(vault: Vault, text: str) -> None:
    store_in(vault).save(NAME, SHORT)
    vault.entries[entry(vault, "a0")] = text
    manifest = {"generation": "a", "parts": 1, "length": len(text), "sha256": hashlib.sha256(text.encode()).hexdigest()}
    vault.entries[entry(vault, "manifest")] = json.dumps(manifest)
    with pytest.raises(SecretDamaged):
        store_in(vault).load(NAME)


def test_a_switch_by_another_program_while_reading_is_not_damage(vault: Vault) -> None:
    store_in(vault).save(NAME, OLD)

    def switch(step: int) -> None:
        if step == 2:
            vault.behave()
            store_in(vault).save(NAME, NEW)

    vault.behave()
    vault.fail = switch
    assert store_in(vault).load(NAME) == NEW

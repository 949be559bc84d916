"""What a connection may be, and what is refused before anything is sent."""

from __future__ import annotations

import pprint
import traceback
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynodesk.domain.profiles import (
    Credentials,
    Profile,
    ProfileError,
    check_endpoint,
    check_keys,
    check_local_region,
    check_name,
    check_profile,
    check_region,
    looks_like_key,
    new_profile_id,
    secret_name,
)

KEY_ID = "AKIAIOSFODNN7EXAMPLE"
TEMPORARY_KEY_ID = "ASIAIOSFODNN7EXAMPLE"
SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
TOKEN = "FwoGZXIvYXdzEBYaD2c9" * 40


def aws_profile(name: str = "shop") -> Profile:
    return Profile(new_profile_id(), name, "aws", "profile", aws_profile="shop-admin", region="eu-west-1", stage="dev")


class TestEndpoint:
    @pytest.mark.parametrize(
        ("typed", "url", "is_loopback", "is_aws"),
        [
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000", True, False),
            ("  http://127.0.0.1:8000/\n", "http://127.0.0.1:8000", True, False),
            ("http://localhost", "http://localhost", True, False),
            ("HTTP://LocalHost:8000", "http://localhost:8000", True, False),
            ("http://127.200.1.9:65535", "http://127.200.1.9:65535", True, False),
            ("http://[::1]:8000", "http://[::1]:8000", True, False),
            ("http://[::ffff:127.0.0.1]:8000", "http://[::ffff:127.0.0.1]:8000", True, False),
            ("https://127.0.0.1:8443", "https://127.0.0.1:8443", True, False),
            ("https://dynamodb.example.org", "https://dynamodb.example.org", False, False),
            ("https://10.0.0.7:8000", "https://10.0.0.7:8000", False, False),
            ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example", False, False),
            (
                "https://dynamodb.eu-west-1.amazonaws.com",
                "https://dynamodb.eu-west-1.amazonaws.com",
                False,
                True,
            ),
            (
                "https://vpce-0a1b2c.dynamodb.us-east-1.vpce.amazonaws.com",
                "https://vpce-0a1b2c.dynamodb.us-east-1.vpce.amazonaws.com",
                False,
                True,
            ),
            ("https://dynamodb.cn-north-1.amazonaws.com.cn", None, False, True),
            ("https://dynamodb.eu-west-1.api.aws", None, False, True),
            ("https://dynamodb-fips.us-gov-west-1.amazonaws.com", None, False, True),
            ("https://123456789012.ddb.us-east-1.amazonaws.com", None, False, True),
            ("https://dynamodb.us-iso-east-1.c2s.ic.gov", None, False, True),
            ("https://dynamodb-fips.us-isob-east-1.sc2s.sgov.gov", None, False, True),
            ("https://streams.dynamodb.eu-isoe-west-1.cloud.adc-e.uk", None, False, True),
            ("https://dynamodb.us-isof-south-1.csp.hci.ic.gov", None, False, True),
            ("https://dynamodb.us-isob-east-1.api.aws.scloud", None, False, True),
            ("https://dynamodb.us-iso-east-1.evil.ic.gov", None, False, False),
            ("https://streams-dynamodb.eu-west-1.api.aws", None, False, True),
            ("https://amazonaws.com.evil.example", None, False, False),
            ("https://ec2-203-0-113-7.eu-west-1.compute.amazonaws.com", None, False, False),
            ("https://dynamodb.eu-west-1.elb.amazonaws.com", None, False, False),
            ("https://dynamodb.s3-us-west-2.amazonaws.com", None, False, False),
            ("https://abc123.execute-api.eu-west-1.amazonaws.com", None, False, False),
            ("https://anybody.dynamodb.eu-west-1.amazonaws.com", None, False, False),
            ("https://dynamodb.evil-amazonaws.com", None, False, False),
        ],
    )
    def test_accepted(self, typed: str, url: str | None, is_loopback: bool, is_aws: bool) -> None:
        endpoint = check_endpoint(typed)
        assert endpoint.url == (url or typed)
        assert (endpoint.is_loopback, endpoint.is_aws) == (is_loopback, is_aws)

    @pytest.mark.parametrize(
        ("typed", "says"),
        [
            ("", "missing"),
            ("   ", "missing"),
            ("http://dynamodb.example.org:8000", "this machine only"),
            ("http://10.0.0.7:8000", "this machine only"),
            ("http://localhost.evil.example", "this machine only"),
            ("http://127.0.0.1.nip.io:8000", "this machine only"),
            ("https://user:pass@example.org", "user name or password"),
            ("https://user@example.org", "user name or password"),
            ("http://127.0.0.1@evil.example", "user name or password"),
            ("https://@example.org", "user name or password"),
            ("http://169.254.169.254", "link-local"),
            ("https://169.254.169.254", "link-local"),
            ("https://169.254.170.2:80", "link-local"),
            ("https://[fe80::1]", "link-local"),
            ("https://[fe80::1%25eth0]", "network interface"),
            ("https://[::ffff:169.254.169.254]", "link-local"),
            ("https://[fd00:ec2::254]", "link-local"),
            ("https://2852039166", "host is not valid"),
            ("https://0xa9fea9fe", "host is not valid"),
            ("https://169.254.43518", "host is not valid"),
            ("https://0251.0376.0251.0376", "host is not valid"),
            ("http://127.1:8000", "host is not valid"),
            ("http://0.0.0.0:8000", "single machine"),
            ("https://[::]", "single machine"),
            ("https://224.0.0.1", "single machine"),
            ("https://255.255.255.255", "single machine"),
            ("file:///etc/passwd", "begin with https"),
            ("ftp://example.org", "begin with https"),
            ("127.0.0.1:8000", "begin with https"),
            ("localhost:8000", "begin with https"),
            ("//example.org", "begin with https"),
            ("https://", "no host"),
            ("https://:8000", "no host"),
            ("http://127.0.0.1:0", "port"),
            ("http://127.0.0.1:", "port"),
            ("http://127.0.0.1:65536", "port"),
            ("http://127.0.0.1:eighty", "port"),
            ("http://127.0.0.1:8000/shell", "path"),
            ("http://127.0.0.1:8000//", "path"),
            ("http://127.0.0.1:8000?x=1", "path or query"),
            ("http://127.0.0.1:8000#x", "path or query"),
            ("http://127.0.0.1:8000/?", "path or query"),
            ("https://exa\tmple.org", "character"),
            ("https://exa mple.org", "character"),
            ("https://example.org\\@evil.example", "character"),
            ("https://bücher.example", "character"),
            ("https://１２７.0.0.1", "character"),
            ("https://exa_mple..org", "host is not valid"),
            ("https://-example.org", "host is not valid"),
            ("https://[::1", "host or port"),
            ("https://" + "a" * 254, "host is not valid"),
        ],
    )
    def test_refused(self, typed: str, says: str) -> None:
        with pytest.raises(ProfileError, match=says):
            check_endpoint(typed)

    def test_a_password_in_the_address_is_not_repeated(self) -> None:
        for typed in ("https://user:hunter2@example.org", "https://user:hunter2@example.org:x", "https://host:hunter2"):
            with pytest.raises(ProfileError) as caught:
                check_endpoint(typed)
            assert "hunter2" not in str(caught.value) + caught.value.hint + caught.value.details
            shown = traceback.format_exception(caught.value)
            assert "hunter2" not in "".join(line for line in shown if not line.startswith("  "))

    @given(st.text(max_size=60))
    def test_any_text_is_accepted_or_refused(self, text: str) -> None:
        for typed in (text, "https://" + text, "http://127.0.0.1" + text):
            try:
                endpoint = check_endpoint(typed)
            except ProfileError:
                continue
            assert check_endpoint(endpoint.url) == endpoint
            assert endpoint.url.startswith("https://") or endpoint.is_loopback


class TestKeys:
    def test_clean_keys_pass_without_a_word(self) -> None:
        assert check_keys(KEY_ID, SECRET).notices == ()
        typed = check_keys(TEMPORARY_KEY_ID, SECRET, TOKEN)
        assert typed.credentials == Credentials(TEMPORARY_KEY_ID, SECRET, TOKEN)
        assert typed.notices == ()

    def test_a_token_of_four_kilobytes_passes(self) -> None:
        assert check_keys(TEMPORARY_KEY_ID, SECRET, "A1b/" * 1024).credentials.session_token == "A1b/" * 1024

    def test_a_short_token_is_told(self) -> None:
        assert check_keys(TEMPORARY_KEY_ID, SECRET, TOKEN[:99]).notices[0].startswith("The session token has 99 char")

    @pytest.mark.parametrize("paste", [" {}", "{} ", "{}\n", "\r\n{}\r\n", "\t{}", "\u00a0{}"])
    def test_space_around_is_removed_and_told(self, paste: str) -> None:
        for key_id, secret, field in (
            (paste.format(KEY_ID), SECRET, "access key id"),
            (KEY_ID, paste.format(SECRET), "secret access key"),
        ):
            typed = check_keys(key_id, secret)
            assert typed.credentials == Credentials(KEY_ID, SECRET)
            assert typed.notices == (f"Space around the {field} was removed.",)

    @pytest.mark.parametrize("paste", ['"{}"', "'{}'", '"{}', "{}'", "`{}`", "\u201c{}\u201d", '" {} "'])
    def test_quotes_are_removed_and_told(self, paste: str) -> None:
        typed = check_keys(KEY_ID, paste.format(SECRET))
        assert typed.credentials == Credentials(KEY_ID, SECRET)
        assert typed.notices == ("Quotes around the secret access key were removed.",)

    @pytest.mark.parametrize(
        ("key_id", "secret", "token", "says"),
        [
            (SECRET, KEY_ID, "", "swapped"),
            (SECRET, TEMPORARY_KEY_ID, TOKEN, "swapped"),
            (f" {SECRET}", f'"{KEY_ID}"', "", "swapped"),
            (KEY_ID, KEY_ID, "", "secret access key is an access key id"),
            (TEMPORARY_KEY_ID, TOKEN, SECRET, "secret access key and the session token are swapped"),
            (TEMPORARY_KEY_ID, SECRET, "", "session token is missing"),
            (KEY_ID, SECRET, TOKEN, "session token does not belong"),
            ("", SECRET, "", "access key id is missing"),
            (KEY_ID, "", "", "secret access key is missing"),
            (KEY_ID, '""', "", "secret access key is missing"),
            ("", KEY_ID, "", "swapped"),
            (
                "AKIAIOSFODNN7EXAMPL\u0415",
                SECRET,
                "",
                "access key id contains a character that no key has at position 20",
            ),
            (KEY_ID, SECRET[:5] + "\u200b" + SECRET[5:], "", "secret access key contains .* position 6"),
            (TEMPORARY_KEY_ID, SECRET, TOKEN[:7] + "\n" + TOKEN[7:], "session token contains a space .* position 8"),
            (KEY_ID, "aws_secret_access_key = " + SECRET, "", "secret access key contains a space"),
            ("akiaiosfodnn7example", SECRET, "", "access key id does not look like one"),
            ("AKIA", SECRET, "", "access key id does not look like one"),
            (TEMPORARY_KEY_ID, SECRET, "A" * 15_001, "session token is longer"),
        ],
    )
    def test_refused_with_the_field_named_and_nothing_shown(
        self, key_id: str, secret: str, token: str, says: str
    ) -> None:
        with pytest.raises(ProfileError, match=says) as caught:
            check_keys(key_id, secret, token)
        told = str(caught.value) + caught.value.hint
        for value in (KEY_ID, SECRET, TOKEN):
            assert value not in told

    def test_an_unusual_length_is_told_not_refused(self) -> None:
        typed = check_keys(KEY_ID, SECRET[:-1])
        assert typed.credentials.secret_access_key == SECRET[:-1]
        assert "39 characters" in typed.notices[0]

    def test_emulators_take_made_up_keys(self) -> None:
        assert check_keys("local", "local", for_aws=False).credentials == Credentials("local", "local")
        with pytest.raises(ProfileError):
            check_keys("local", "local")


class TestCredentials:
    def test_every_way_of_printing_hides_all_but_the_last_four(self) -> None:
        credentials = check_keys(TEMPORARY_KEY_ID, SECRET, TOKEN).credentials
        shown = [
            repr(credentials),
            str(credentials),
            f"{credentials}",
            f"{credentials!r:>80}",
            "%s" % credentials,  # noqa: UP031 -- one more way in which logging prints
            pprint.pformat([credentials], width=10),
            pprint.pformat({"nested": {"deeper": credentials}}),
        ]
        for text in shown:
            assert "MPLE" in text
            assert TEMPORARY_KEY_ID[:-4] not in text
            assert SECRET not in text
            assert TOKEN[:20] not in text

    def test_a_short_made_up_id_is_hidden_whole(self) -> None:
        assert "test" not in repr(Credentials("test", "secret"))

    def test_a_traceback_with_local_values_hides_them(self) -> None:
        def fail(credentials: Credentials) -> None:
            raise RuntimeError("no")

        with pytest.raises(RuntimeError) as caught:
            fail(Credentials(KEY_ID, SECRET))
        report = "".join(traceback.TracebackException.from_exception(caught.value, capture_locals=True).format())
        assert "credentials = Credentials(…MPLE)" in report
        frames = [
            frame
            for frame in traceback.TracebackException.from_exception(caught.value, capture_locals=True).stack
            if frame.name == "fail"
        ]
        assert SECRET not in str(frames[0].locals)


class TestRegion:
    @pytest.mark.parametrize(
        "region",
        ["us-east-1", "eu-west-3", "ap-southeast-12", "us-gov-west-1", "cn-north-1", "us-iso-east-1", "eusc-de-east-1"],
    )
    def test_accepted(self, region: str) -> None:
        assert check_region(f" {region.upper()}\n") == region

    @pytest.mark.parametrize(
        ("typed", "says"),
        [
            ("", "missing"),
            (" ", "missing"),
            ("aws-cn", "partition"),
            ("us-gov", "partition"),
            ("us-east-1a", "availability zone"),
            ("fips-us-east-1", "FIPS"),
            ("us-east", "does not look like one"),
            ("useast1", "does not look like one"),
            ("us-east-1/../x", "does not look like one"),
            ("us-east-1.evil.example", "does not look like one"),
            ("us-éast-1", "does not look like one"),
            ("us-east-１", "does not look like one"),
            ("arn:aws:dynamodb:us-east-1:1:table/x", "does not look like one"),
        ],
    )
    def test_refused(self, typed: str, says: str) -> None:
        with pytest.raises(ProfileError, match=says):
            check_region(typed)

    def test_an_address_at_aws_has_its_own(self) -> None:
        private = check_endpoint("https://vpce-0a1b2c.dynamodb.us-east-1.vpce.amazonaws.com")
        assert check_region("us-east-1", private) == "us-east-1"
        with pytest.raises(ProfileError, match="is in us-east-1, not in eu-west-1"):
            check_region("eu-west-1", private)
        assert check_region("eu-west-1", check_endpoint("https://dynamodb.example.org")) == "eu-west-1"

    def test_emulators_take_any_word(self) -> None:
        assert check_local_region("") == "us-east-1"
        assert check_local_region("ddblocal") == "ddblocal"
        with pytest.raises(ProfileError):
            check_local_region("a/b")


class TestName:
    def test_space_around_is_removed(self) -> None:
        assert check_name("  shop – prod ") == "shop – prod"

    @pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\x00b", "shop\u202eprod", "a\u200bb", "\ud800", "x" * 101])
    def test_refused(self, name: str) -> None:
        with pytest.raises(ProfileError, match="name"):
            check_name(name)

    @pytest.mark.parametrize(("first", "second"), [("shop", "SHOP"), ("Straße", "STRASSE"), ("é", "e\u0301")])
    def test_names_that_look_alike_are_one(self, first: str, second: str) -> None:
        with pytest.raises(ProfileError, match="already"):
            check_name(second, [first])


class TestProfile:
    def test_starts_read_only_and_careful(self) -> None:
        profile = Profile(new_profile_id(), "x", "aws", "environment")
        assert profile.read_only
        assert profile.stage == "production"

    def test_texts_are_tidied(self) -> None:
        profile = Profile(
            new_profile_id(), " local ", "endpoint", "dummy", endpoint_url=" http://LOCALHOST:8000/ ", stage="dev"
        )
        checked = check_profile(profile)
        assert checked == replace(profile, name="local", endpoint_url="http://localhost:8000", region="us-east-1")
        assert check_profile(checked) == checked

    def test_the_region_may_come_from_the_aws_configuration(self) -> None:
        assert check_profile(replace(aws_profile(), region="")).region == ""

    def test_ids_are_new_each_time(self) -> None:
        ids = {new_profile_id() for _ in range(1000)}
        assert len(ids) == 1000
        assert all(not looks_like_key(secret_name(profile_id)) for profile_id in ids)

    def test_its_own_name_is_not_taken(self) -> None:
        first, second = aws_profile("one"), aws_profile("two")
        assert check_profile(first, [first, second]) == first
        with pytest.raises(ProfileError, match="already"):
            check_profile(replace(first, name="Two"), [first, second])

    def test_what_does_not_belong_together_is_refused(self) -> None:
        aws = aws_profile()
        remote = replace(aws, kind="endpoint", endpoint_url="https://dynamodb.example.org")
        local = replace(remote, endpoint_url="http://127.0.0.1:8000")
        keys = replace(aws, credentials="keys", aws_profile="", secret=secret_name(aws.id))
        for profile, says in (
            (replace(aws, id="../x"), "id"),
            (replace(aws, endpoint_url="https://dynamodb.example.org"), "no endpoint"),
            (replace(aws, aws_profile=""), "AWS profile name"),
            (replace(aws, secret="profile-1"), "secret's name"),
            (replace(aws, credentials="dummy", aws_profile=""), "this machine only"),
            (replace(keys, region=""), "Region is missing"),
            (replace(keys, secret=""), "secret's name"),
            (replace(remote, credentials="dummy", aws_profile=""), "this machine only"),
            (remote, "not sent to a host that is not AWS"),
            (replace(remote, credentials="environment", aws_profile=""), "not sent to a host that is not AWS"),
            (replace(local, endpoint_url=""), "endpoint is missing"),
            (replace(aws, kind="sandbox"), "dummy keys only"),
            (replace(local, endpoint_url="https://dynamodb.us-east-2.amazonaws.com"), "is in us-east-2, not in"),
        ):
            with pytest.raises(ProfileError, match=says):
                check_profile(profile)

    def test_what_belongs_together_is_accepted(self) -> None:
        aws = aws_profile()
        keys = replace(aws, credentials="keys", aws_profile="", secret=secret_name(aws.id))
        local = replace(aws, kind="endpoint", endpoint_url="http://127.0.0.1:8000")
        for profile in (
            aws,
            keys,
            local,
            replace(keys, kind="endpoint", endpoint_url="https://dynamodb.example.org"),
            replace(local, credentials="dummy", aws_profile=""),
            replace(local, endpoint_url="https://dynamodb.eu-west-1.amazonaws.com"),
            replace(aws, kind="sandbox", credentials="dummy", aws_profile="", stage="sandbox"),
        ):
            assert check_profile(profile) == profile

    @pytest.mark.parametrize("field", ["kind", "credentials", "stage"])
    def test_words_we_do_not_know_are_refused(self, field: str) -> None:
        profile = aws_profile()
        object.__setattr__(profile, field, "magic")  # as a file edited by hand would have it
        with pytest.raises(ProfileError, match=field):
            check_profile(profile)


class TestLooksLikeKey:
    @pytest.mark.parametrize(
        "text", [KEY_ID, TEMPORARY_KEY_ID, SECRET, TOKEN, f"key={SECRET};", f"prod ({KEY_ID})", f'"{SECRET}"']
    )
    def test_keys_do(self, text: str) -> None:
        assert looks_like_key(text)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "prod",
            "AdministratorAccess-123456789012",
            "https://vpce-0a1b2c3d4e5f6a7b8-c9d0e1f2.dynamodb.us-east-1.vpce.amazonaws.com",
            "profile-" + "0123456789abcdef" * 2,
            "0123456789abcdef" * 4,
            "AKIA is how they begin",
            "arn:aws:iam::123456789012:role/Admin",
        ],
    )
    def test_names_do_not(self, text: str) -> None:
        assert not looks_like_key(text)

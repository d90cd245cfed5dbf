"""Names, uids, times and addresses, derived from the hash of a text so that every run makes the same."""

import datetime
import hashlib
import uuid

_BEGIN = datetime.datetime(2026, 3, 2, 7, 30, tzinfo=datetime.timezone.utc)
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


def number(text, below):
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:8], "big") % below


def uid(text):
    return str(uuid.UUID(bytes=hashlib.sha256(text.encode()).digest()[:16], version=4))


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def suffix(text, length=5):
    """A suffix as the API server makes it: without vowels, so that it spells no word."""
    value = hashlib.sha256(("suffix " + text).encode()).digest()
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in value[:length])


def time(seconds):
    """A time of the cluster's life, in seconds since its first node."""
    moment = _BEGIN + datetime.timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def resource_version(text):
    return str(8_000_000 + number("version " + text, 900_000))

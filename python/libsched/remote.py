"""Plugins that other processes provide, behind a socket or an HTTP address."""

from __future__ import annotations

import dataclasses
import re

from . import _core
from ._arguments import check_fields, names_arguments
from .errors import InvalidError

_TEXT = re.compile(r"(?P<name>[^=/:]+)=(?P<address>(?:unix|tcp|tls|http\+unix):.+|https?://.+)")
_PASSWORD = re.compile(r"(://[^/?#@:]*:)[^/?#]*@")
_TIME = re.compile(r"([0-9]+(?:[.][0-9]+)?)(ms|s)")
_FILES = {"ca": "ca_file", "cert": "cert_file", "key": "key_file", "server-name": "server_name"}


def without_password(text: str) -> str:
    """Returns a text with ``***`` in place of the password of a URL in it.

    >>> without_password("Quiet=http://user:secret@host/x")
    'Quiet=http://user:***@host/x'
    """
    return _PASSWORD.sub(r"\1***@", text)


@names_arguments
@dataclasses.dataclass(frozen=True)
class RemotePlugin:
    """A plugin in another process, for the ``plugins`` of a `Framework`.

    The process runs already: nothing is started. What is spoken with it is described in
    ``docs/plugin_protocol.md``.

    Parameters
    ----------
    name : str
        The name in configurations and statuses.
    address : str
        ``unix:PATH``, ``tcp:HOST:PORT`` or ``tls:HOST:PORT``, a connection that stays open; or
        ``http://...``, ``https://...`` or ``http+unix:PATH``, a POST for each question.
    timeout : float
        Seconds that a question may take.
    ignorable : bool
        Skip the plugin where it does not answer, instead of failing.
    insecure : bool
        Do not verify the certificate of the server.
    server_name, ca_file, cert_file, key_file : str
        The name in the server's certificate, and PEM files, as in an extender's tlsConfig.
    weight : int, optional
        The weight of the plugin's scores unless the configuration has one.

    Examples
    --------
    >>> RemotePlugin.parse("Quiet=unix:/run/quiet.sock,timeout=500ms,ignorable")
    RemotePlugin(name='Quiet', address='unix:/run/quiet.sock', timeout=0.5, ignorable=True)
    """

    name: str
    address: str
    _: dataclasses.KW_ONLY
    timeout: float = 5.0
    ignorable: bool = False
    insecure: bool = False
    server_name: str = ""
    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""
    weight: int | None = None

    def __post_init__(self) -> None:
        check_fields(self)

    @classmethod
    def is_text(cls, text: str) -> bool:
        """Whether a text looks like ``NAME=ADDRESS``."""
        return _TEXT.fullmatch(text) is not None

    @classmethod
    def parse(cls, text: str) -> RemotePlugin:
        """Reads ``NAME=ADDRESS`` with options behind commas: ``timeout=500ms``, ``ignorable``,
        ``insecure``, ``server-name=NAME``, ``ca=FILE``, ``cert=FILE``, ``key=FILE``.

        Raises
        ------
        InvalidError
            The text is not of this form.
        """
        address, *options = text.split(",")
        found = _TEXT.fullmatch(address)
        if found is None:
            raise InvalidError(f'the plugin "{without_password(text)}" is not of the form NAME=ADDRESS')
        values: dict[str, str | bool | float] = {}
        for option in options:
            key, equals, value = option.partition("=")
            if key in ("ignorable", "insecure") and not equals:
                values[key] = True
            elif key in _FILES and value:
                values[_FILES[key]] = value
            elif key == "timeout" and (time := _TIME.fullmatch(value)):
                values[key] = float(time[1]) / (1000 if time[2] == "ms" else 1)
            else:
                raise InvalidError(f'the plugin "{found["name"]}" has the unknown option "{option}"; '
                                   "there are timeout=500ms, ignorable, insecure, server-name=NAME, "
                                   "ca=FILE, cert=FILE and key=FILE")
        return cls(found["name"], found["address"], **values)  # type: ignore[arg-type]

    def add_to(self, registry: _core.Registry) -> None:
        """Adds the plugin to a registry.

        Raises
        ------
        UnsupportedError
            The library ``libsched-net.so`` is missing.
        FileError, DeadlineExceeded
            The plugin cannot be reached.
        InvalidError
            The address or what the plugin says of itself is wrong.
        """
        if not 0 < self.timeout <= 86400:
            raise InvalidError(f'plugin "{self.name}": a timeout is positive, and at most a day',
                               plugin=self.name)
        registry.add_remote(self.name, self.address, self.ignorable,
                            max(1, round(self.timeout * 1e9)), self.insecure, self.server_name,
                            self.ca_file, self.cert_file, self.key_file)

    def __repr__(self) -> str:
        shown = [f"name={self.name!r}", f"address={without_password(self.address)!r}"]
        shown += [f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self)
                  if field.name not in ("name", "address") and getattr(self, field.name) != field.default]
        return f"RemotePlugin({', '.join(shown)})"

"""Plugins behind TLS: certificates are verified unless that is switched off."""

import shutil
import subprocess

import conftest
import libsched
import pytest
import test_faults


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of the name plugin.example, and its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl")
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
         "-subj", "/CN=plugin.example", "-addext", "subjectAltName=DNS:plugin.example", "-keyout", folder / "key",
         "-out", folder / "certificate"], check=True, capture_output=True)
    return folder / "certificate", folder / "key"


@pytest.mark.parametrize("scheme", ["tls:", "https://"])
def test_certificates(server, certificate, scheme):
    address = f"{scheme}127.0.0.1:{conftest.free_port()}"
    server(conftest.python(conftest.HERE / "tls_server.py", address, *certificate))
    trusted = {"ca_file": str(certificate[0])}
    for options in ({"insecure": True}, {**trusted, "server_name": "plugin.example"}):
        asked = test_faults.Asked(address, **options)
        for _ in range(3):
            test_faults.check("", None, asked.ask(""))
    for options, text in (({}, "certificate|unknown authority|self.signed"), (trusted, "127.0.0.1|match|valid for"),
                          ({"ca_file": "/nowhere"}, "/nowhere"), ({"cert_file": str(certificate[0])}, "key")):
        with pytest.raises(libsched.Error, match=text):
            test_faults.Asked(address, **options)
    with pytest.raises(libsched.Error):
        test_faults.Asked(address.replace("tls:", "tcp:").replace("https:", "http:"))

"""Extenders over HTTPS: certificates as upstream's tlsConfig takes them, and the errors of bad ones."""

import base64
import json
import re
import shutil
import ssl
import subprocess

import pytest
from compare_extenders import API
from extender_server import ExtenderServer
from test_extenders import NODE, POD

import libsched

NAME = "extender.example"


class TlsServer(ExtenderServer):
    """The scripted extender behind TLS; with `client_ca` it wants certificates of clients."""

    def __init__(self, certificate, client_ca=None):
        super().__init__()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.with_suffix(".pem"), certificate.with_suffix(".key"))
        if client_ca:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(client_ca.with_suffix(".pem"))
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self._server.handle_error = lambda *_: None  # refused handshakes are what is tested
        self.url = self.url.replace("http:", "https:")
        self.begin([{}])


@pytest.fixture(scope="module")
def pki(tmp_path_factory):
    """A folder with a certificate authority and the certificates that it has signed, and another authority."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl")
    folder = tmp_path_factory.mktemp("pki")

    def run(*arguments):
        subprocess.run([openssl, *arguments], cwd=folder, check=True, capture_output=True)

    def key(name):
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key"]

    for name in ("ca", "other"):
        run("req", "-x509", *key(name), "-subj", f"/CN={name}", "-days", "30", "-out", f"{name}.pem")
    (folder / "index").touch()
    (folder / "ca.conf").write_text("[ca]\ndefault_ca=own\n[own]\ndatabase=index\nnew_certs_dir=.\nrand_serial=yes\n"
                                    "default_md=sha256\npolicy=names\n[names]\ncommonName=supplied\n")
    valid, past = ("-days", "30"), ("-startdate", "20200101000000Z", "-enddate", "20200102000000Z")
    for name, san, when in (("server", f"DNS:{NAME},IP:127.0.0.1", valid), ("named", f"DNS:{NAME}", valid),
                            ("expired", "IP:127.0.0.1", past), ("client", "DNS:client", valid)):
        (folder / "san").write_text(f"subjectAltName={san}\n")
        run("req", *key(name), "-subj", f"/CN={name}", "-out", f"{name}.csr")
        run("ca", "-batch", "-notext", "-config", "ca.conf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", f"{name}.csr",
            "-extfile", "san", "-out", f"{name}.pem", *when)
    return folder


@pytest.fixture(scope="module")
def serve(pki):
    running = {}

    def start(name, client_ca=None):
        if (name, client_ca) not in running:
            running[name, client_ca] = TlsServer(pki / name, client_ca and pki / client_ca)
        return running[name, client_ca]

    yield start
    for server in running.values():
        server.close()


def data(pki, name):
    return base64.b64encode((pki / name).read_bytes()).decode()


def framework_of(server, tls):
    extender = {"urlPrefix": f"{server.url}/0", "filterVerb": "filter", "nodeCacheCapable": True, "enableHTTPS": True,
                "httpTimeout": "5s"}
    if tls is not None:
        extender["tlsConfig"] = tls
    return libsched.Framework({"apiVersion": API, "kind": "KubeSchedulerConfiguration", "extenders": [extender]})


def ask(server, tls):
    """The error of two decisions in a row; "" if the extender has answered."""
    framework = framework_of(server, tls)
    cluster = libsched.Cluster(NODE, keep_raw=True)
    server.calls = []
    errors = {framework.fit(cluster, POD).error for _ in range(2)}
    assert len(errors) == 1 and (len(server.calls) == 2) == (errors == {""}), errors
    return errors.pop()


@pytest.mark.parametrize("server, tls", [
    ("server", lambda pki: {"caFile": str(pki / "ca.pem")}),
    ("server", lambda pki: {"caData": data(pki, "ca.pem")}),
    ("server", lambda pki: {"caFile": "/nowhere", "caData": data(pki, "ca.pem")}),
    ("named", lambda pki: {"caFile": str(pki / "ca.pem"), "serverName": NAME}),
    ("server", lambda pki: None),
    ("server", lambda pki: {}),
    ("expired", lambda pki: {"insecure": True}),
], ids=["file", "data", "data-wins", "name", "no-ca", "no-ca-in-tls", "insecure"])
def test_an_extender_over_https_is_asked(pki, serve, server, tls):
    assert ask(serve(server), tls(pki)) == ""


@pytest.mark.parametrize("tls", [
    lambda pki: {"certFile": str(pki / "client.pem"), "keyFile": str(pki / "client.key"), "caFile": str(pki / "ca.pem")},
    lambda pki: {"certData": data(pki, "client.pem"), "keyData": data(pki, "client.key"), "caData": data(pki, "ca.pem")},
    lambda pki: {"certFile": str(pki / "client.pem"), "keyFile": str(pki / "client.key")},
], ids=["files", "data", "insecure"])
def test_a_client_certificate_is_shown(pki, serve, tls):
    assert ask(serve("server", "ca"), tls(pki)) == ""


@pytest.mark.parametrize("server, tls, text", [
    ("server", lambda pki: {"caFile": str(pki / "other.pem")},
     "tls: failed to verify certificate: x509: certificate signed by unknown authority"),
    ("named", lambda pki: {"caFile": str(pki / "ca.pem")},
     "tls: failed to verify certificate: x509: certificate is not valid for 127.0.0.1"),
    ("server", lambda pki: {"caFile": str(pki / "ca.pem"), "serverName": "elsewhere.example"},
     "tls: failed to verify certificate: x509: certificate is not valid for elsewhere.example"),
    ("expired", lambda pki: {"caFile": str(pki / "ca.pem")},
     "tls: failed to verify certificate: x509: certificate has expired or is not yet valid"),
], ids=["unknown-authority", "no-address", "other-name", "expired"])
def test_a_certificate_that_is_not_good_is_the_error(pki, serve, server, tls, text):
    asked = serve(server)
    assert ask(asked, tls(pki)) == f'Post "{asked.url}/0/filter": {text}'


@pytest.mark.parametrize("tls, text", [
    (lambda pki: {}, "remote error: tls: certificate required"),
    (lambda pki: {"certFile": str(pki / "other.pem"), "keyFile": str(pki / "other.key")},
     "remote error: tls: unknown certificate authority"),
], ids=["none", "unknown"])
def test_a_server_may_refuse_the_client(pki, serve, tls, text):
    """The alert may be lost, because the server does not read the request and so resets the connection."""
    server = serve("server", "ca")
    framework = framework_of(server, {"caFile": str(pki / "ca.pem"), **tls(pki)})
    cluster = libsched.Cluster(NODE, keep_raw=True)
    lost = re.compile(r".*/filter\": ((write|read) tcp .*: (broken pipe|connection reset by peer)|EOF)")
    for _ in range(50):
        error = framework.fit(cluster, POD).error
        if error == f'Post "{server.url}/0/filter": {text}':
            return
        assert lost.fullmatch(error), error
    pytest.fail("no alert has arrived")


@pytest.mark.parametrize("tls, text", [
    (lambda pki: {"caFile": "/nowhere/ca.pem"}, "open /nowhere/ca.pem: no such file or directory"),
    (lambda pki: {"caData": base64.b64encode(b"nonsense").decode()},
     "unable to load root certificates: unable to parse bytes as PEM block"),
    (lambda pki: {"caFile": str(pki / "ca.pem"), "insecure": True},
     "specifying a root certificates file with the insecure flag is not allowed"),
    (lambda pki: {"certFile": str(pki / "client.pem"), "keyFile": "/nowhere/key"}, "open /nowhere/key: no such file or directory"),
], ids=["no-file", "no-pem", "insecure-with-ca", "no-key"])
def test_files_are_read_with_the_configuration(pki, serve, tls, text):
    with pytest.raises(libsched.Error) as caught:
        framework_of(serve("server"), tls(pki))
    assert text in str(caught.value) and json.dumps(caught.value.path).find("extenders[0]") >= 0

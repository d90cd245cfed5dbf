"""The plugin of fault_server.py behind TLS.

    python tls_server.py ADDRESS CERTIFICATE KEY
"""

import ssl
import sys

import fault_server
import plugin_server


def main(address, certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    plain = address.replace("tls:", "tcp:").replace("https:", "http:")
    with plugin_server.server_of(fault_server.Odd, plain) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print("listening", file=sys.stderr, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])

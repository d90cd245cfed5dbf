"""A whole plugin without any library: an HTTP server that lets no pod onto nodes whose name ends with "1".

    python3 examples/remote/python/thirty_lines.py 9000 &
    libsched fit examples/clusters/shop.yaml --pod examples/clusters/pods/web.yaml --plugin Odd=http://127.0.0.1:9000
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = {}
        if self.path == "/describe":
            answer = {"protocol": 1, "points": ["filter"]}
        elif self.path == "/filter":
            odd = [name for name in question["nodes"] if name.endswith("1")]
            answer = {"rejected": {name: {"code": "Unschedulable", "reasons": ["node is odd"]} for name in odd}}
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()

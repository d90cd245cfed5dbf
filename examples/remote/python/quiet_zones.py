"""A plugin in another process: keeps pods out of loud zones, and likes zones in the order of a list.

    python3 examples/remote/python/quiet_zones.py unix:/tmp/quiet.sock &
    libsched fit examples/clusters/shop.yaml --pod examples/clusters/pods/web.yaml --plugin QuietZones=unix:/tmp/quiet.sock
"""

import sys

import plugin_server

ZONE = "topology.kubernetes.io/zone"


class QuietZones:
    wants = ["node"]  # the documents of nodes
    reasons = ["node(s) were in a loud zone"]

    def __init__(self, args):
        self.loud = (args or {}).get("loud", ["eu-north-1a"])
        self.liked = (args or {}).get("liked", [])

    def zone(self, node):
        return node["node"]["metadata"].get("labels", {}).get(ZONE, "")

    def filter(self, call):
        return {"codes": [2 if self.zone(node) in self.loud else 0 for node in call.nodes]}

    def score(self, call):
        ranks = {zone: 100 // (1 + place) for place, zone in enumerate(self.liked)}
        return {"scores": [ranks.get(self.zone(node), 0) for node in call.nodes]}


if __name__ == "__main__":
    plugin_server.serve(QuietZones, sys.argv[1])

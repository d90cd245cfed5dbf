"""The rows to remember, for the README, the page's bars and its tiles. A row that was not measured is left out."""

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Headline:
    label: str
    plot: tuple = ()   # question, kind and nodes, or
    group: str = ""    # ... the row's group and
    name: str = ""     # ... a regular expression for its name
    tile: str = ""     # a short title for the page's tiles and the README; empty: in neither of them

    def find(self, rows):
        """The row, or None."""
        for row in rows:
            plot = row.get("plot")
            if self.plot:
                if plot and (plot["question"], plot["kind"], plot["nodes"]) == self.plot:
                    return row
            elif row["group"] == self.group and re.search(self.name, row["name"]):
                return row
        return None


HEADLINES = (
    Headline("filter 5,000 nodes for a plain pod", ("filter", "basic", 5000), tile="filter 5,000 nodes"),
    Headline("filter 100,000 nodes for a plain pod", ("filter", "basic", 100_000)),
    Headline("… 5,000 nodes, node selector", ("filter", "selector", 5000)),
    Headline("… 5,000 nodes, many taints", ("filter", "taints", 5000)),
    Headline("… 5,000 nodes, topology spread", ("filter", "spread-hard", 5000), tile="… with topology spread"),
    Headline("… 5,000 nodes, pod anti-affinity", ("filter", "anti-app", 5000)),
    Headline("filter and score 5,000 nodes, plain pod", ("evaluate", "basic", 5000), tile="filter and score 5,000 nodes"),
    Headline("filter and score 5,000 nodes, topology spread", ("evaluate", "spread-hard", 5000)),
    Headline("a whole scheduler, a pod on 5,000 nodes", group="scheduler, a pod", name="^10000 pods of 1 shapes",
             tile="whole scheduler, a pod"),
    Headline("autoscaler: first fit, none of 5,000 nodes fits, asked again", group="simulated cluster",
             name="^first fit, none of 5,000 nodes fits, plain pod, C$"),
    Headline("… after a pod has come", group="simulated cluster", name="^the same after a pod has come, plain pod, C$",
             tile="first fit, none of 5,000 nodes"),
    Headline("… with pod anti-affinity", group="simulated cluster",
             name="^the same after a pod has come, pod anti-affinity, C$"),
    Headline("… fork, place a pod, revert", group="simulated cluster", name="^fork, check a node, place, revert, C$"),
    Headline("… fork, add a node, check it, revert", group="simulated cluster", name="^fork, add a node, check it, revert, C$"),
    Headline("… fork, add 100 nodes and 1,000 pods, revert", group="simulated cluster",
             name="^fork, 100 nodes, 1,000 pods, revert; 5,000 nodes, C$"),
    Headline("… pack 51,000 pods onto 2,595 new nodes", group="autoscaler", name="^packing 51,000 pods.* C$",
             tile="pack 51,000 pods"),
    Headline("… try to empty 2,000 nodes with 80,000 pods", group="autoscaler", name="^emptying 2,000 nodes.* C$",
             tile="empty 2,000 nodes"),
    Headline("read a pod of 3 KB from JSON", group="ingest, a pod", name=r"^JSON, parse \(", tile="a pod of 3 KB from JSON"),
)


def found(result):
    """Pairs of a headline and its row."""
    pairs = [(headline, headline.find(result["rows"])) for headline in HEADLINES]
    return [(headline, row) for headline, row in pairs if row]

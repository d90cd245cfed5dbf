"""The sections of the page: which groups of rows stand together. A group that is not listed gets one of its own."""

_SECTIONS = (
    ("Judging 5,000 nodes", ("filter", "RunFilterPlugins on a random node", "cycle, every node judged and scored",
                             "cycle, answers kept by class", "check_pod_fits, the pod fits nowhere")),
    ("Scheduling many pods", ("many pods, a pod", "scheduler, a pod")),
    ("Autoscaling", ("autoscaler", "simulated cluster", "fork + 100 nodes + 1,000 pods + revert")),
    ("Devices", ("devices, a pod",)),
    ("Documents", ("ingest, a pod",)),
    ("Boundaries and plugins", ("boundary", "a plugin in C, a node", "a plugin in Python, a call")),
    ("State and memory", ("state", "snapshot", "memory, resident", "memory, peak")),
)
_BY_SIZE = "by size: "


def sections(rows):
    """(title, [(group, rows), ...]) in order; groups by size of the cluster are one section."""
    groups = {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row)
    out = []
    for title, names in _SECTIONS:
        out.append((title, [(name, groups.pop(name)) for name in names if name in groups]))
    sized = [(name.removeprefix(_BY_SIZE), groups.pop(name)) for name in list(groups) if name.startswith(_BY_SIZE)]
    out.insert(1, ("Figures by size of the cluster", sized))
    out += [(name[0].upper() + name[1:], [(name, found)]) for name, found in groups.items()]
    return [(title, found) for title, found in out if found]

"""A row of the result: one figure with its limit, upstream's figure, and the gates to meet.

A row is {"group", "name", "unit", "libsched": {"min", "median"}, "limit", "upstream", "to_limit",
"over_upstream", "gates": [{"text", "met"}], "notes"}; figures without a counterpart are None. A row of a plot
over the size of the cluster has "plot": {"question", "kind", "nodes"} as well.
"""

US, MS, SECOND = 1e3, 1e6, 1e9


def row(group, name, minimum, median, unit="ns", limit=None, upstream=None, notes=None, plot=None):
    made = {"group": group, "name": name, "unit": unit,
            "libsched": {"min": minimum, "median": median}, "limit": limit, "upstream": upstream,
            "to_limit": minimum / limit if limit else None,
            "over_upstream": upstream / minimum if upstream and minimum > 0 else None,
            "gates": [], "notes": notes or {}}
    if plot:
        made["plot"] = plot
    return made


def gate(made, text, met):
    made["gates"].append({"text": text, "met": bool(met)})

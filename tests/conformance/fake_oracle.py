"""A stand-in for the oracle in the runner's own tests: it has the same commands and a toy upstream.

A pod fits a node if its number is at most the node's. Pods with "odd" make upstream fail. The result of a
step of a script is its number.
"""

import json
import random
import sys


def generate(arguments):
    flags = dict(zip(arguments[::2], arguments[1::2]))
    first, count = int(flags["-seed"]), int(flags["-count"])
    for seed in range(first, first + count):
        rng = random.Random(f"{flags['-kind']} {seed} {flags['-nasty']}")
        if flags["-kind"] == "queue":
            pods = [{"metadata": {"name": f"p{i}"}, "x": "y"} for i in range(3)]
            steps = [{"do": "add", "pod": pod} for pod in pods] + [{"do": "pop"}, {"do": "update", "pod": pods[0]}]
            yield {"name": f"queue-{seed}", "mode": "queue", "options": {"tick": "1s"}, "script": steps}
            continue
        nodes = [{"kind": "Node", "apiVersion": "v1",
                  "metadata": {"name": f"n{i}", "labels": {"size": rng.randrange(9), "x": "y"}}}
                 for i in range(rng.randrange(1, 9))]
        pods = [{"kind": "Pod", "metadata": {"name": f"p{i}"},
                 "spec": {"size": rng.randrange(9), "plugin": rng.choice(["A", "B", ""]), "z": [1, 2]}}
                for i in range(rng.randrange(1, 5))]
        config = {"config": {"profiles": [{"schedulerName": "x", "size": seed}]}} \
            if flags["-kind"] == "config" else {}
        yield {**config,
               "name": f"{flags['-kind']}-{seed}", "mode": flags["-mode"], "objects": nodes, "pods": pods}


def judge(case):
    if case.get("mode") == "config":
        return {"name": case["name"], "mode": "config", "config": case["config"]}
    if "script" in case:
        return {"name": case["name"], "steps": [{"do": step["do"], "number": number}
                                                for number, step in enumerate(case["script"])]}
    if case.get("config") == "odd":
        return {"name": case["name"], "error": "config: odd"}
    pods = []
    for pod in case["pods"]:
        size = pod["spec"].get("size", 0) if "spec" in pod else 0
        nodes = [{"node": node["metadata"]["name"],
                  "code": "Success" if node["metadata"].get("labels", {}).get("size", 0) >= size
                          else "Unschedulable"} for node in case["objects"]]
        pods.append({"pod": f"default/{pod['metadata']['name']}", "nodes": nodes,
                     "feasible": [n["node"] for n in nodes if n["code"] == "Success"]})
    return {"name": case["name"], "mode": case.get("mode", "evaluate"), "pods": pods}


def answer(case):
    """Like judge(), but refuses input that is not a case."""
    try:
        return judge(case)
    except (AttributeError, KeyError, TypeError) as error:
        return {"name": case["name"], "error": f"cannot read it: {error!r}"}


def main(arguments):
    if arguments[0] == "version":
        print("toy v1")
    elif arguments[0] == "gen" and arguments[1] == "-list":
        print("\n".join(["basic", "taints", "trace"]))
    elif arguments[0] == "modes":
        print("\n".join(["config", "evaluate", "schedule"]))
    elif arguments[0] == "gen":
        for case in generate(arguments[1:]):
            print(json.dumps(case))
    else:
        for line in sys.stdin:
            print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

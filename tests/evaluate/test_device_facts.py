"""Facts about devices of random small clusters, beside what a naive reading of the objects gives."""

import itertools
import random

import pytest

from fact_schema import check
from libsched import Cluster, Framework

DRIVER = "d.example.com"
REASON = "cannot allocate all claims"


def meta(name, **more):
    return {"name": name, "uid": f"u-{name}", **more}


def resource(kind, name, namespaced=False, **body):
    return {"kind": kind, "apiVersion": "resource.k8s.io/v1",
            "metadata": meta(name, **({"namespace": "ns"} if namespaced else {})), **body}


def device_id(pool, device):
    return f"{DRIVER}/{pool}/{device['name']}"


class World:
    """A node "n" with a pool of its own, and a pool of all nodes; some devices are in use."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.pools = {name: [self._device(f"{name}-{i}") for i in range(self.dice.randint(1, 4))]
                      for name in ("all", "n")}
        self.counters = {"mem": self.dice.randint(1, 6), "slots": self.dice.randint(1, 4)}
        self.users = {}
        for pool, devices in self.pools.items():
            for device in devices:
                if self.dice.random() < 0.25:
                    self.users[device_id(pool, device)] = f"user{self.dice.randint(0, 2)}"
        self.class_least = self.dice.randint(0, 1)
        self.claims = [self._claim(f"c{i}") for i in range(self.dice.randint(1, 2))]

    def _device(self, name):
        made = {"name": name, "attributes": {"n": {"int": self.dice.randint(0, 3)}}}
        if self.dice.random() < 0.25:
            made["taints"] = [{"key": "k", "effect": self.dice.choice(["NoSchedule", "None"])},
                              {"key": "j", "value": "v", "effect": "NoExecute"}][:self.dice.randint(1, 2)]
        if self.dice.random() < 0.4 and not name.startswith("all"):
            made["consumesCounters"] = [{"counterSet": "set", "counters": {
                name: {"value": str(self.dice.randint(1, 3))}
                for name in self.dice.sample(["mem", "slots"], self.dice.randint(1, 2))}}]
        return made

    def _requirement(self):
        made = {"deviceClassName": "class"}
        if self.dice.random() < 0.2:
            made["allocationMode"] = "All"
        else:
            made |= {"allocationMode": "ExactCount", "count": self.dice.randint(1, 3)}
        if self.dice.random() < 0.5:
            most = self.dice.randint(0, 3)
            made["selectors"] = [{"cel": {"expression": f'device.attributes["{DRIVER}"].n <= {most}'}}]
        if self.dice.random() < 0.3:
            made["tolerations"] = [{"key": "k", "operator": "Exists"}]
        return made

    def _claim(self, name):
        requests = []
        for i in range(self.dice.randint(1, 2)):
            if self.dice.random() < 0.3:
                requests.append({"name": f"r{i}", "firstAvailable": [
                    {"name": f"s{k}", **self._requirement()} for k in range(2)]})
            else:
                requests.append({"name": f"r{i}", "exactly": self._requirement()})
        devices = {"requests": requests}
        if self.dice.random() < 0.4:
            devices["constraints"] = [{"matchAttribute": f"{DRIVER}/n"}]
        return resource("ResourceClaim", name, True, spec={"devices": devices})

    def objects(self):
        taken = {}
        for device, user in self.users.items():
            driver, pool, name = device.split("/")
            taken.setdefault(user, []).append(
                {"request": "r", "driver": driver, "pool": pool, "device": name})
        return [
            {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"},
             "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}},
            resource("DeviceClass", "class", spec={"selectors": [
                {"cel": {"expression": f'device.attributes["{DRIVER}"].n >= {self.class_least}'}}]}),
            resource("ResourceSlice", "all", spec={
                "driver": DRIVER, "allNodes": True, "devices": self.pools["all"],
                "pool": {"name": "all", "generation": 1, "resourceSliceCount": 1}}),
            resource("ResourceSlice", "n", spec={
                "driver": DRIVER, "nodeName": "n", "devices": self.pools["n"],
                "pool": {"name": "n", "generation": 1, "resourceSliceCount": 2}}),
            resource("ResourceSlice", "n-counters", spec={
                "driver": DRIVER, "nodeName": "n",
                "pool": {"name": "n", "generation": 1, "resourceSliceCount": 2},
                "sharedCounters": [{"name": "set", "counters": {
                    name: {"value": str(value)} for name, value in self.counters.items()}}]}),
            *(resource("ResourceClaim", user, True, spec={"devices": {"requests": []}},
                       status={"allocation": {"devices": {"results": results}}})
              for user, results in taken.items()), *self.claims]

    def pod(self):
        return {"kind": "Pod", "apiVersion": "v1", "metadata": meta("p", namespace="ns"),
                "spec": {"containers": [{"name": "c"}], "resourceClaims": [
                    {"name": c["metadata"]["name"], "resourceClaimName": c["metadata"]["name"]}
                    for c in self.claims]}}

    # --- the naive reading ---

    def devices(self):
        return [(pool, device) for pool in ("all", "n") for device in self.pools[pool]]

    def left(self, taken=()):
        """What the counters have left beside devices in use and those that are taken."""
        left = dict(self.counters)
        for pool, device in self.devices():
            if device_id(pool, device) in self.users or (pool, device) in taken:
                for name, amount in consumed(device).items():
                    left[name] -= amount
        return left

    def obstacle(self, pool, device, what):
        """(problem, field, value, whether it lasts) or None."""
        value = device["attributes"]["n"]["int"]
        if value < self.class_least:
            return "selector", "selector", f'device.attributes["{DRIVER}"].n >= {self.class_least}', True
        for selector in what.get("selectors", ()):
            text = selector["cel"]["expression"]
            if value > int(text.rsplit(" ", 1)[1]):
                return "selector", "selector", text, True
        if device_id(pool, device) in self.users:
            return "in use", "usedBy", f"ns/{self.users[device_id(pool, device)]}", False
        if taken := consumed(device):
            left = self.left()
            for name in ("mem", "slots"):
                if left[name] < taken.get(name, 0):
                    return "counters", "counter", f"set/{name}", False
        for taint in device.get("taints", ()):
            tolerated = [t["key"] for t in what.get("tolerations", ())]
            if taint["effect"] != "None" and taint["key"] not in tolerated:
                value = f"={taint['value']}" if "value" in taint else ""
                return "taint", "taint", f"{taint['key']}{value}:{taint['effect']}", False
        return None

    def about(self, claim, request, what):
        """The facts of one request or alternative, and whether there are devices for it."""
        begun = {"reason": REASON, "resourceClaim": f"ns/{claim['metadata']['name']}", "request": request}
        found = [(pool, device, self.obstacle(pool, device, what)) for pool, device in self.devices()]
        suitable = sum(why is None for _, _, why in found)
        whole = what["allocationMode"] == "All"
        facts = [{**begun, **({} if whole else {"wanted": what["count"]}), "seen": len(found),
                  "suitable": suitable}]
        if suitable > 0 and all(why is None or why[3] for *_, why in found) if whole \
                else suitable >= what["count"]:
            return facts, True
        groups = {}
        for pool, device, why in found:
            if why is not None:
                groups.setdefault(why, []).append(device_id(pool, device))
        facts += [{**begun, "problem": problem, field: value, **(self.amounts(value) if field == "counter" else {}),
                   "count": len(names), "devices": names[:8]}
                  for (problem, field, value, _), names in groups.items()]
        return facts, False

    def amounts(self, counter):
        name = counter.split("/")[1]
        return {"left": str(self.left()[name]), "offered": str(self.counters[name])}

    def choices(self, what, taken):
        there = [(pool, device) for pool, device in self.devices()]
        if what["allocationMode"] == "All":
            listed = [(pool, device) for pool, device in there
                      if not ((why := self.obstacle(pool, device, what)) and why[3])]
            ok = listed and all(self.obstacle(*each, what) is None and each not in taken for each in listed)
            return [tuple(listed)] if ok else []
        free = [each for each in there if self.obstacle(*each, what) is None and each not in taken]
        return itertools.combinations(free, what["count"])

    def finds(self, claims, taken=(), matched=()):
        """Whether there are devices for lists of requests; those of a claim are (constraint, requests)."""
        if not claims:
            return True
        (constrained, requests), *rest = claims
        if not requests:
            return self.finds(rest, taken)
        for what in alternatives(requests[0]):
            for chosen in self.choices(what, taken):
                now, values = [*taken, *chosen], [*matched, *chosen]
                if constrained and len({d["attributes"]["n"]["int"] for _, d in values}) > 1:
                    continue
                if any(consumed(d) for _, d in chosen) and min(self.left(now).values()) < 0:
                    continue
                if self.finds([(constrained, requests[1:]), *rest], now, values):
                    return True
        return False

    def expected(self):
        facts, each = [], True
        for claim in self.claims:
            for request in claim["spec"]["devices"]["requests"]:
                answers = [self.about(claim, name, what) for name, what in named(request)]
                facts += [fact for found, _ in answers for fact in found]
                each &= any(enough for _, enough in answers)
        if not each:
            return facts
        done = []
        for claim in self.claims:
            constrained = "constraints" in claim["spec"]["devices"]
            done.append((constrained, []))
            for request in claim["spec"]["devices"]["requests"]:
                done[-1][1].append(request)
                if not self.finds(done):
                    return [*facts, {"reason": REASON, "resourceClaim": f"ns/{claim['metadata']['name']}",
                                     "request": request["name"], "problem": "together"}]
        raise AssertionError("devices are there for all of them")


def consumed(device):
    return {name: int(value["value"]) for taken in device.get("consumesCounters", ())
            for name, value in taken["counters"].items()}


def named(request):
    if "exactly" in request:
        return [(request["name"], request["exactly"])]
    return [(f"{request['name']}/{what['name']}", what) for what in request["firstAvailable"]]


def alternatives(request):
    return [what for _, what in named(request)]


def holds(world, facts):
    """Whether the devices that the node gives are free, of the right number, and suit their requests."""
    taken = [fact["device"] for fact in facts]
    assert len(set(taken)) == len(taken)
    by_id = {device_id(pool, device): (pool, device) for pool, device in world.devices()}
    for claim in world.claims:
        for request in claim["spec"]["devices"]["requests"]:
            mine = [(name, what, [fact["device"] for fact in facts
                                  if (fact["resourceClaim"], fact["request"])
                                  == (f"ns/{claim['metadata']['name']}", name)])
                    for name, what in named(request)]
            (_, what, devices), = [entry for entry in mine if entry[2]]
            assert what["allocationMode"] == "All" or len(devices) == what["count"]
            assert all(world.obstacle(*by_id[device], what) is None for device in devices)


def test_facts_of_random_devices():
    seen = {}
    for seed in range(400):
        world = World(seed)
        verdict = Framework().fit(Cluster(world.objects()), world.pod(), facts=True)["n"]
        facts = [dict(fact) for fact in verdict.facts]
        check({"code": verdict.status.code.label, "reasons": list(verdict.status.reasons), "facts": facts,
               **({} if verdict.fits else {"plugin": verdict.status.plugin})})
        if verdict.fits:
            assert all(fact["reason"] == "" and not fact["allocated"] for fact in facts)
            holds(world, facts)
        elif verdict.status.reasons == (REASON,):
            assert facts == world.expected(), seed
        else:  # a constraint that a request for all devices violates
            assert verdict.status.code.label == "Error" and not facts, verdict.status
        for fact in facts:
            kind = fact.get("problem") or ("device" if verdict.fits else "summary")
            seen[kind] = seen.get(kind, 0) + 1
    assert set(seen) == {"selector", "in use", "counters", "taint", "together", "summary", "device"}
    assert min(seen.values()) >= 10, seen


def one_request(devices, more=(), slices=1, **exactly):
    claim = resource("ResourceClaim", "c", True, spec={"devices": {"requests": [
        {"name": "r", "exactly": {"deviceClassName": "class", **exactly}}]}})
    node = {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"},
            "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}}
    pool = resource("ResourceSlice", "s", spec={
        "driver": DRIVER, "nodeName": "n", "devices": devices,
        "pool": {"name": "p", "generation": 1, "resourceSliceCount": slices}})
    pod = {"kind": "Pod", "apiVersion": "v1", "metadata": meta("p", namespace="ns"),
           "spec": {"containers": [{"name": "c"}],
                    "resourceClaims": [{"name": "c", "resourceClaimName": "c"}]}}
    cluster = Cluster([node, resource("DeviceClass", "class", spec={}), pool, claim, *more])
    verdict = Framework().fit(cluster, pod, facts=True)["n"]
    check({"code": verdict.status.code.label, "facts": list(verdict.facts),
           **({} if verdict.fits else {"plugin": verdict.status.plugin})})
    return [{name: value for name, value in fact.items() if name not in ("reason", "resourceClaim", "request")}
            for fact in verdict.facts]


PARTS = {"name": "a", "allowMultipleAllocations": True, "capacity": {"memory": {"value": "8Gi"}}}
SHARE = resource("ResourceClaim", "other", True, spec={}, status={"allocation": {"devices": {"results": [
    {"request": "r", "driver": DRIVER, "pool": "p", "device": "a", "shareID": "11111111-1111-4111-8111-111111111111",
     "consumedCapacity": {"memory": "6Gi"}}]}}})


@pytest.mark.parametrize(("devices", "more", "exactly", "facts"), [
    ([PARTS], [SHARE], {"capacity": {"requests": {"memory": "4Gi"}}},
     [{"wanted": 1, "seen": 1, "suitable": 0},
      {"problem": "capacity", "capacity": "memory", "count": 1, "devices": [f"{DRIVER}/p/a"]}]),
    ([PARTS], [], {"capacity": {"requests": {"memory": "4Gi"}}},
     [{"allocated": False, "device": f"{DRIVER}/p/a", "consumes": ["memory=4Gi"]}]),
    ([{"name": "a"}], [], {"adminAccess": True},
     [{"allocated": False, "device": f"{DRIVER}/p/a", "adminAccess": True}]),
    ([{"name": "a"}], [], {"selectors": [{"cel": {"expression": "false"}}], "count": 2},
     [{"wanted": 2, "seen": 1, "suitable": 0},
      {"problem": "selector", "selector": "false", "count": 1, "devices": [f"{DRIVER}/p/a"]}]),
    ([{"name": f"d{i}", "taints": [{"key": "k", "effect": "NoSchedule"}]} for i in range(10)], [], {},
     [{"wanted": 1, "seen": 10, "suitable": 0},
      {"problem": "taint", "taint": "k:NoSchedule", "count": 10,
       "devices": [f"{DRIVER}/p/d{i}" for i in range(8)]}]),
])
def test_single_devices(devices, more, exactly, facts):
    assert one_request(devices, more, **exactly) == facts


def test_an_incomplete_pool():
    assert one_request([{"name": "a"}], slices=2) == [
        {"wanted": 1, "seen": 0, "suitable": 0}, {"problem": "incomplete pool", "pool": f"{DRIVER}/p", "generation": 1,
                                                     "slices": 1, "wantedSlices": 2}]


def test_an_outdated_pool():
    newer = resource("ResourceSlice", "t", spec={
        "driver": DRIVER, "nodeName": "m", "devices": [],
        "pool": {"name": "p", "generation": 2, "resourceSliceCount": 1}})
    assert one_request([{"name": "a"}], [newer], slices=2) == [
        {"wanted": 1, "seen": 0, "suitable": 0},
        {"problem": "outdated pool", "pool": f"{DRIVER}/p", "generation": 2, "slices": 1, "wantedSlices": 1,
         "nodeGeneration": 1}]

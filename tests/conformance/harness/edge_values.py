"""Values at the limits of a field's range: numbers, quantities, words, and optional parts.

A field is identified by its name, or by the name of its map. Words of the case itself (names of
nodes, labels, classes) come from the case; this file has words that no case has.
"""

INTEGERS = (0, 1, -1, 2, 5, 50, 99, 100, 101, 65535, 65536, 2**31 - 1, 2**31, -2**31, -2**31 - 1,
            2**63 - 1, 2**63, -2**63, -2**63 - 1, 2**64, 1.5, 1e2, 1e300)
TEXTS = ("", " ", "-", "a", "A", "x" * 63, "x" * 64, "x" * 254, "a/b", "a/b/c", "/", "*", "é", "\u2028",
         "0", "-1", "9223372036854775807", "9223372036854775808", "null", "true", "default", "a b", "a.b")
QUANTITIES = ("0", "1", "-1", "2", "100m", "1m", "0.1", "0.5", "1e3", "1E3", "1E", "1Ei", "8Ei", "16Ei",
              "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1n", "1u", "1.5Gi",
              "2Gi", "1Mi", "4k", "", "1 ", " 1", "1ki", "1KI", ".5", "5.", "+1", "-0", "1e-9", "1e400",
              "999999999999999999999", "0x10", "1_000", "lots", 0, 1, 4, 1.5, -1, True, None, {}, [])
MOMENTS = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:10Z", "1970-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00",
           "2026-01-01T00:00:10.5Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", None, "", "yesterday",
           "2026-01-01", "2026-02-30T00:00:00Z", 0)
DURATIONS = ("0s", "10ms", "-5ms", "20ms", "1h", "", "1", "bad", "1.5s", None, 1)
PLUGINS = ("NodeResourcesFit", "NodeResourcesBalancedAllocation", "InterPodAffinity", "NodeAffinity",
           "PodTopologySpread", "TaintToleration", "ImageLocality", "NodeName", "NodePorts",
           "NodeUnschedulable", "VolumeBinding", "VolumeRestrictions", "VolumeZone", "NodeVolumeLimits",
           "DefaultPreemption", "DefaultBinder", "PrioritySort", "SchedulingGates", "Nonesuch", "*", "")
TRACE_PLUGINS = ("PrioritySort", "DefaultBinder", "Nonesuch", "*", "")
CODES = ("Success", "Error", "Unschedulable", "UnschedulableAndUnresolvable", "Wait", "Skip", "Pending",
         "", "Nonesuch")
POINTS = ("preEnqueue", "queueSort", "preFilter", "filter", "postFilter", "preScore", "score", "reserve",
          "permit", "preBind", "bind", "postBind", "sign", "addRemovePod", "normalize", "nonesuch")
STEPS = ("preEnqueue", "sign", "preFilter", "filter", "filterAll", "addPod", "removePod", "postFilter",
         "preScore", "score", "reserve", "unreserve", "permit", "waitOnPermit", "preBindPreFlight",
         "preBind", "bind", "postBind", "cycle", "nonesuch", "")

#: Fields by name.
WORDS = {
    "operator": ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Equal", "", "in", "Nonesuch"),
    "effect": ("NoSchedule", "PreferNoSchedule", "NoExecute", "", "Nonesuch"),
    "whenUnsatisfiable": ("DoNotSchedule", "ScheduleAnyway", "", "Nonesuch"),
    "nodeAffinityPolicy": ("Honor", "Ignore", "", "Nonesuch"),
    "nodeTaintsPolicy": ("Honor", "Ignore", "", "Nonesuch"),
    "topologyKey": ("kubernetes.io/hostname", "topology.kubernetes.io/zone", "topology.kubernetes.io/region",
                    "", "nonesuch", "rack"),
    "protocol": ("TCP", "UDP", "SCTP", "", "tcp"),
    "hostIP": ("", "0.0.0.0", "127.0.0.1", "10.0.0.1", "::"),
    "hostPort": (0, 53, 80, 8080, 65535, 65536, -1),
    "containerPort": (0, 53, 80, 65536, -1),
    "phase": ("Pending", "Running", "Succeeded", "Failed", "Bound", "Available", "Released", "Lost", ""),
    "preemptionPolicy": ("Never", "PreemptLowerPriority", "", "Nonesuch"),
    "restartPolicy": ("Always", "Never", "OnFailure", ""),
    "volumeBindingMode": ("Immediate", "WaitForFirstConsumer", "", "Nonesuch"),
    "accessModes": ("ReadWriteOnce", "ReadWriteOncePod", "ReadOnlyMany", "ReadWriteMany", "Nonesuch"),
    "volumeMode": ("Filesystem", "Block", "", "Nonesuch"),
    "namespace": ("default", "team-a", "team-b", "kube-system", "", "nonesuch"),
    "nodeName": ("node-000", "n0", "nonesuch", ""),
    "nominatedNodeName": ("node-000", "node-001", "n0", "nonesuch", ""),
    "schedulerName": ("default-scheduler", "other", ""),
    "type": ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio", "Ready", "", "Nonesuch"),
    "status": ("True", "False", "Unknown", ""),
    "defaultingType": ("System", "List", "", "Nonesuch"),
    "code": CODES, "points": POINTS, "do": STEPS, "timeout": DURATIONS,
    "mode": ("override", "noop", "", "nonesuch"),
    "before": (0, 1, 2, -1, 99),
    "startTime": MOMENTS, "creationTimestamp": MOMENTS, "deletionTimestamp": MOMENTS,
    "apiVersion": ("v1", "apps/v1", "storage.k8s.io/v1", "policy/v1", "kubescheduler.config.k8s.io/v1",
                   "kubescheduler.config.k8s.io/v1beta3", "", "nonesuch/v1"),
    "kind": ("Pod", "Node", "Service", "PersistentVolume", "ReplicaSet", "KubeSchedulerConfiguration",
             "NodeAffinityArgs", "", "Nonesuch"),
}
#: Numbers by name, for fields in which only a few integers are meaningful.
NUMBERS = {
    "maxSkew": (0, 1, 2, 5, -1), "minDomains": (0, 1, 2, 3, 100, -1), "weight": (0, 1, 2, 50, 100, 101, -1),
    "priority": (0, 1, 10, 1000, -1, 2000000000, 2000001000), "tolerationSeconds": (0, 1, -1, 300),
    "disruptionsAllowed": (0, 1, 2, -1), "percentageOfNodesToScore": (0, 1, 50, 100, 101, -1),
    "count": (0, 1, 2, -1), "sizeBytes": (0, 1, 23 * 2**20, 1000 * 2**20, 10**12, -1),
    "parallelism": (0, 1, 16, -1), "hardPodAffinityWeight": (0, 1, 100, 101, -1),
    "minCandidateNodesPercentage": (0, 1, 10, 100, 101, -1),
    "minCandidateNodesAbsolute": (0, 1, 2, 100, -1), "bindTimeoutSeconds": (0, 1, 600, -1),
    "utilization": (0, 1, 50, 100, 101, -1), "score": (0, 1, 10, 11, 100, 101, -1),
}
#: Maps whose values are quantities, and fields that are quantities.
QUANTITY_MAPS = {"requests", "limits", "capacity", "allocatable", "overhead", "allocatedResources"}
QUANTITY_FIELDS = {"sizeLimit", "maximumVolumeSize"}
RESOURCES = ("cpu", "memory", "ephemeral-storage", "pods", "hugepages-2Mi", "example.com/gpu",
             "example.com/none", "storage", "attachable-volumes-aws-ebs", "kubernetes.io/batch-cpu", "gpu",
             "requests.cpu", "")
LABELS = ("app", "tier", "kubernetes.io/hostname", "topology.kubernetes.io/zone", "rack", "disktype",
          "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone", "generation",
          "metadata.name", "kubernetes.io/metadata.name", "", "not a key", "a/b/c")
#: Maps whose keys are free.
LABEL_MAPS = {"labels", "matchLabels", "nodeSelector", "selector", "annotations"}

_TERM = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "topology.kubernetes.io/zone"}
_NODE_TERM = {"matchExpressions": [{"key": "disktype", "operator": "Exists"}]}
_FIELD_TERM = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-000"]}]}
_RESOURCES = {"requests": {"cpu": "500m"}, "limits": {"memory": "1Gi"}}
#: Parts that an object of a kind may get: their place (the last word is the field; "+": a new entry) and value.
PARTS = {
    "Pod": (
        (("spec", "nodeName"), "node-000"), (("spec", "priority"), 7), (("spec", "hostNetwork"), True),
        (("spec", "priorityClassName"), "high"), (("spec", "preemptionPolicy"), "Never"),
        (("spec", "schedulingGates", "+"), {"name": "wait"}), (("spec", "nodeSelector"), {"disktype": "ssd"}),
        (("spec", "overhead"), {"cpu": "100m", "memory": "10Mi"}), (("spec", "resources"), _RESOURCES),
        (("spec", "initContainers", "+"), {"name": "i", "image": "busybox", "resources": _RESOURCES}),
        (("spec", "initContainers", "+"), {"name": "s", "restartPolicy": "Always", "resources": _RESOURCES}),
        (("spec", "containers", "+"), {"name": "more", "image": "busybox", "resources": _RESOURCES}),
        (("spec", "tolerations", "+"), {"operator": "Exists"}),
        (("spec", "tolerations", "+"), {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule",
                                        "operator": "Exists"}),
        (("spec", "affinity", "podAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "+"), _TERM),
        (("spec", "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "+"),
         {**_TERM, "namespaceSelector": {}}),
        (("spec", "affinity", "podAntiAffinity", "preferredDuringSchedulingIgnoredDuringExecution", "+"),
         {"weight": 3, "podAffinityTerm": {**_TERM, "matchLabelKeys": ["tier"]}}),
        (("spec", "affinity", "podAffinity", "preferredDuringSchedulingIgnoredDuringExecution", "+"),
         {"weight": 9, "podAffinityTerm": {**_TERM, "mismatchLabelKeys": ["tier"]}}),
        (("spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"),
         {"nodeSelectorTerms": [_NODE_TERM]}),
        (("spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"),
         {"nodeSelectorTerms": [_FIELD_TERM]}),
        (("spec", "affinity", "nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution", "+"),
         {"weight": 5, "preference": _NODE_TERM}),
        (("spec", "topologySpreadConstraints", "+"),
         {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule",
          "labelSelector": {}, "minDomains": 2}),
        (("spec", "topologySpreadConstraints", "+"),
         {"maxSkew": 2, "topologyKey": "rack", "whenUnsatisfiable": "ScheduleAnyway",
          "labelSelector": {"matchLabels": {"app": "web"}}, "matchLabelKeys": ["tier"]}),
        (("spec", "volumes", "+"), {"name": "e", "emptyDir": {}}),
        (("spec", "volumes", "+"), {"name": "c", "persistentVolumeClaim": {"claimName": "claim-0"}}),
        (("spec", "volumes", "+"), {"name": "h", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}),
        (("spec", "volumes", "+"), {"name": "d", "gcePersistentDisk": {"pdName": "disk"}}),
        (("spec", "volumes", "+"), {"name": "a", "awsElasticBlockStore": {"volumeID": "vol"}}),
        (("spec", "volumes", "+"), {"name": "i", "iscsi": {"targetPortal": "p", "iqn": "q", "lun": 0}}),
        (("spec", "volumes", "+"), {"name": "r", "rbd": {"monitors": ["m"], "image": "i", "pool": "p"}}),
        (("spec", "containers", 0, "ports", "+"), {"containerPort": 80, "hostPort": 80}),
        (("spec", "containers", 0, "resources", "requests"), {"cpu": "1", "memory": "1Gi"}),
        (("spec", "containers", 0, "image"), "busybox"),
        (("metadata", "labels"), {"app": "web", "tier": "back"}),
        (("metadata", "ownerReferences", "+"), {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r",
                                                "uid": "u", "controller": True}),
        (("metadata", "deletionTimestamp"), "2026-01-01T00:00:00Z"), (("metadata", "uid"), "u"),
        (("status", "nominatedNodeName"), "node-000"), (("status", "phase"), "Running"),
        (("status", "startTime"), "2026-01-01T00:00:00Z"),
        (("status", "conditions", "+"), {"type": "PodResizePending", "status": "True", "reason": "Infeasible"}),
        (("status", "containerStatuses", "+"), {"name": "c0", "allocatedResources": {"cpu": "2"},
                                                "resources": {"requests": {"cpu": "3"}}})),
    "Node": (
        (("spec", "unschedulable"), True), (("spec", "taints", "+"), {"key": "gpu", "effect": "NoSchedule"}),
        (("spec", "taints", "+"), {"key": "k", "value": "v", "effect": "PreferNoSchedule"}),
        (("status", "images", "+"), {"names": ["busybox", "busybox:latest"], "sizeBytes": 500000000}),
        (("status", "allocatable"), {"cpu": "4", "memory": "8Gi", "pods": "3"}),
        (("status", "allocatable", "example.com/gpu"), "2"), (("metadata", "labels", "disktype"), "ssd"),
        (("metadata", "labels", "topology.kubernetes.io/zone"), "zone-a"),
        (("status", "declaredFeatures", "+"), "Feature"), (("metadata", "uid"), "u")),
    "PersistentVolumeClaim": (
        (("spec", "storageClassName"), "local"), (("spec", "volumeName"), "pv-free-0"),
        (("metadata", "annotations"), {"volume.kubernetes.io/selected-node": "node-000"}),
        (("metadata", "deletionTimestamp"), "2026-01-01T00:00:00Z"),
        (("spec", "selector"), {"matchLabels": {"a": "b"}}),
        (("spec", "volumeAttributesClassName"), "fast"), (("spec", "dataSource"), {"kind": "X", "name": "y"}),
        (("metadata", "ownerReferences", "+"), {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u",
                                                "controller": True})),
    "PersistentVolume": (
        (("spec", "nodeAffinity"), {"required": {"nodeSelectorTerms": [_NODE_TERM]}}),
        (("spec", "claimRef"), {"name": "claim-0", "namespace": "default"}),
        (("spec", "gcePersistentDisk"), {"pdName": "disk"}),
        (("spec", "awsElasticBlockStore"), {"volumeID": "vol"}),
        (("metadata", "labels", "topology.kubernetes.io/zone"), "zone-a__zone-b"),
        (("metadata", "deletionTimestamp"), "2026-01-01T00:00:00Z")),
    "StorageClass": (
        (("allowedTopologies",), [{"matchLabelExpressions": [{"key": "rack", "values": ["rack-1"]}]}]),
        (("volumeBindingMode",), "WaitForFirstConsumer"), (("metadata", "annotations"), {
            "storageclass.kubernetes.io/is-default-class": "true"})),
    "PodDisruptionBudget": (
        (("status", "disruptedPods"), {"bound-1": "2026-01-01T00:00:00Z"}), (("spec", "selector"), {}),
        (("metadata", "deletionTimestamp"), "2026-01-01T00:00:00Z")),
    "CSINode": (
        (("metadata", "annotations"), {"storage.alpha.kubernetes.io/migrated-plugins":
                                       "kubernetes.io/aws-ebs,kubernetes.io/gce-pd"}),
        (("spec", "drivers", "+"), {"name": "ebs.csi.example.com", "nodeID": "n",
                                           "allocatable": {"count": 1}, "topologyKeys": None}),),
}
#: Additions to a configuration: at its top, in a profile and as arguments.
CONFIG_FIELDS = (("percentageOfNodesToScore", 50), ("parallelism", 4), ("podInitialBackoffSeconds", 2),
                 ("podMaxBackoffSeconds", 1), ("delayCacheUntilActive", True), ("leaderElection", {}),
                 ("clientConnection", {"qps": 1}), ("extenders", []), ("enableProfiling", False))
ARGS = {
    "NodeResourcesFit": {"scoringStrategy": {"type": "MostAllocated", "resources": [
        {"name": "cpu", "weight": 2}]}},
    "NodeResourcesBalancedAllocation": {"resources": [{"name": "memory", "weight": 1}]},
    "InterPodAffinity": {"hardPodAffinityWeight": 7},
    "NodeAffinity": {"addedAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [_NODE_TERM]}}},
    "PodTopologySpread": {"defaultingType": "List", "defaultConstraints": [
        {"maxSkew": 1, "topologyKey": "rack", "whenUnsatisfiable": "ScheduleAnyway"}]},
    "DefaultPreemption": {"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": 1},
    "VolumeBinding": {"bindTimeoutSeconds": 1},
}

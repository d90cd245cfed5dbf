"""The labels that name pools of nodes."""

#: Labels with which providers and tools name the pool of a node, the most specific first.
POOL_LABELS = (
    "cloud.google.com/gke-nodepool", "eks.amazonaws.com/nodegroup", "karpenter.sh/nodepool",
    "kubernetes.azure.com/agentpool", "alpha.eksctl.io/nodegroup-name", "kops.k8s.io/instancegroup",
    "doks.digitalocean.com/node-pool", "node.kubernetes.io/instance-type",
)

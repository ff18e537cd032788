"""The shared vocabularies: signal types, failure reason codes, severities, business fields.

These are facts that no version changes; a contract picks from them.
"""

from typing import Final

CANONICAL_SIGNAL_TYPES: Final = (
    "OOMKilled",
    "CrashLoopBackOff",
    "ImagePullBackOff",
    "Evicted",
    "NodeNotReady",
    "PodPending",
    "FailedScheduling",
    "BackoffLimitExceeded",
    "DeadlineExceeded",
    "FailedMount",
)
"""The ten canonical signal types, exact case (DD-LLM-001 section 4)."""

SIGNAL_INDICATORS: Final = {
    "OOMKilled": "a container went over its memory limit and was killed, exit code 137",
    "CrashLoopBackOff": "a container starts and dies again and again, usually with exit code 1 or 2",
    "ImagePullBackOff": "an image cannot be pulled: wrong name or tag, registry refuses or is unreachable",
    "Evicted": "the kubelet removed a pod because its node ran short of memory or disk",
    "NodeNotReady": "a node's Ready condition is not True; its kubelet is silent or unwell",
    "PodPending": "a pod stays in phase Pending",
    "FailedScheduling": "the scheduler finds no node that fits: resources, taints, affinity or selectors",
    "BackoffLimitExceeded": "a Job used up its retries",
    "DeadlineExceeded": "a Job ran past its active deadline",
    "FailedMount": "a volume cannot be mounted: claim not bound, driver error, missing secret or config map",
}
"""What in the cluster shows each canonical signal type."""

REASON_GUIDANCE: Final = {
    "OOMKilled": (
        "The remediation itself ran out of memory.",
        "Prefer a lighter workflow, or one that makes room before it acts; smaller steps are safer.",
    ),
    "InsufficientCPU": (
        "The cluster had no CPU left for what the remediation asked.",
        "Free or add CPU first, or choose a workflow that asks for none.",
    ),
    "InsufficientMemory": (
        "The cluster had no memory left for what the remediation asked.",
        "Free or add memory first, or choose a workflow that fits into what is there.",
    ),
    "Evicted": (
        "The remediation's pod was evicted while it ran.",
        "Look for pressure on its node; choose a workflow that declares its needs or runs elsewhere.",
    ),
    "FailedScheduling": (
        "The scheduler found no node for the remediation's pod.",
        "Look at resources, taints and affinity; choose a workflow that other nodes can run.",
    ),
    "Unschedulable": (
        "A pod the remediation needs is marked unschedulable.",
        "Look at cordons, tolerations and affinity; choose a workflow that lifts the constraint.",
    ),
    "ImagePullBackOff": (
        "The workflow's own image could not be pulled.",
        "Suspect its name, the registry's credentials or the network; choose a workflow with another image.",
    ),
    "ErrImagePull": (
        "Pulling the workflow's own image failed outright.",
        "Check name, tag and registry access; choose a workflow whose image is present.",
    ),
    "InvalidImageName": (
        "The workflow's image reference is malformed.",
        "It can never be pulled as written; choose another workflow or another version.",
    ),
    "DeadlineExceeded": (
        "The remediation ran out of time.",
        "Find out what it waited for; choose a faster workflow or one that may run longer.",
    ),
    "BackoffLimitExceeded": (
        "The remediation failed on every retry.",
        "The cause is persistent; choose a different strategy, not a further retry.",
    ),
    "Error": (
        "The remediation failed without a more precise code.",
        "Its message and its logs say more; decide by them.",
    ),
    "Unauthorized": (
        "The remediation was not authenticated.",
        "Look at its service account; choose a workflow that needs no such credentials.",
    ),
    "Forbidden": (
        "A policy or missing permission refused the remediation.",
        "Look at RBAC and admission policies; choose a workflow that stays within them.",
    ),
    "FailedMount": (
        "A volume that the remediation needs could not be mounted.",
        "Look at the claim, its class and capacity; choose a workflow that needs no such volume.",
    ),
    "FailedAttachVolume": (
        "A volume could not be attached to the node.",
        "It may still be attached elsewhere; choose a workflow that goes around it.",
    ),
    "NodeNotReady": (
        "The node became unready while the remediation ran.",
        "Look at the node's conditions; choose a workflow that other nodes can run.",
    ),
    "NodeUnreachable": (
        "The control plane lost contact with the node.",
        "Its true state is unknown; choose a workflow that does not depend on it.",
    ),
    "NetworkNotReady": (
        "The pod network was not ready.",
        "Look at the network plugin and policies; choose a workflow that needs little network.",
    ),
}
"""The nineteen failure reason codes with what each suggests: what it means, what to prefer."""

GENERIC_GUIDANCE: Final = (
    "This reason code has no guidance of its own.",
    "Find out what it means here, and search for a workflow that copes with it.",
)

REASON_CODES: Final = tuple(REASON_GUIDANCE)

SEVERITY_CRITERIA: Final = {
    "critical": (
        "a production service is unavailable or data is being lost now",
        "most users are affected, revenue is lost, or a service level is already violated",
    ),
    "high": (
        "a service is significantly degraded or more than one request in ten fails",
        "many users are affected, a service level is at risk, or it is escalating towards critical",
    ),
    "medium": (
        "one service is degraded in a limited way and a workaround exists",
        "few users or one team are affected, or it is a serious fault outside production",
    ),
    "low": (
        "no user is affected, or the finding is informational",
        "development or test only, cosmetic, or a hint for capacity planning",
    ),
}
"""Criteria of the four levels (ADR-038 RCA severity assessment, DD-LLM-001 section 5)."""

SEVERITY_FACTORS: Final = (
    ("User impact", "all or most users: critical; 10 to 50 percent: high; fewer: medium; none: low"),
    ("Environment", "production with user impact raises the level; development lowers it"),
    ("Business impact", "revenue loss or a violated service level: critical; complaints: high; none: low"),
    ("Escalation risk", "rapidly getting worse raises the level; improving may lower it"),
    ("Data risk", "data lost or corrupted: critical; integrity at risk: high; none: no change"),
)
"""The five factors, most important first."""

RECOVERY_DEFAULTS: Final = {
    "environment": "unknown",
    "priority": "P2",
    "risk_tolerance": "medium",
    "business_category": "standard",
}
"""What a recovery request holds where a business field was not given (handoff, section 1)."""

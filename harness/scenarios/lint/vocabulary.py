"""The words that labels and business fields take (DD-LLM-001 sections 4 to 6, ADR-038, DD-CONTEXT-005)."""

from collections.abc import Mapping

from harness.contracts.taxonomy import CANONICAL_SIGNAL_TYPES, REASON_CODES
from harness.model import SEVERITIES

SIGNAL_TYPES = tuple(dict.fromkeys((*CANONICAL_SIGNAL_TYPES, *REASON_CODES)))
ENVIRONMENTS = ("production", "staging", "development", "test")

BUSINESS_WORDS: Mapping[str, tuple[str, ...]] = {
    "environment": ENVIRONMENTS,
    "priority": ("P0", "P1", "P2", "P3"),
    "risk_tolerance": ("low", "medium", "high"),
}
"""The business fields that are no free text."""

SEARCHED_LABELS = (
    "signal-type",
    "severity",
    "environment",
    "priority",
    "risk-tolerance",
    "business-category",
    "component",
)
"""What searches filter on: the six of the current taxonomy, and what playbook-selection-2.0 sends besides."""

KNOWN_LABELS = (*SEARCHED_LABELS, "incident-type", "risk-level")

LABEL_WORDS: Mapping[str, tuple[str, ...]] = {
    "signal-type": SIGNAL_TYPES,
    "severity": SEVERITIES,
    **{name.replace("_", "-"): words for name, words in BUSINESS_WORDS.items()},
}

VOCABULARY = frozenset(word.casefold() for word in (*SIGNAL_TYPES, *SEVERITIES, *ENVIRONMENTS))
"""Words that an honest query may hold as keywords, so that no resource is called by one."""

"""The checks, one per file, listed by hand in the order of their codes; a test compares this list with the folder."""

from __future__ import annotations

from generator.checks.citations.absolute_claim import absolute_claim
from generator.checks.citations.broken_include import broken_include
from generator.checks.citations.circular_evidence import circular_evidence
from generator.checks.citations.floating_address import floating_address
from generator.checks.citations.inconsistent_mention import inconsistent_mention
from generator.checks.citations.malformed_citation import malformed_citation
from generator.checks.citations.missing_fragment import missing_fragment
from generator.checks.citations.orphan_source import orphan_source
from generator.checks.citations.redirected_citation import redirected_citation
from generator.checks.citations.uncited_claim import uncited_claim
from generator.checks.citations.unresolved_citation import unresolved_citation
from generator.checks.citations.unverified_citation import unverified_citation
from generator.checks.citations.wrong_kind_citation import wrong_kind_citation
from generator.checks.compatibility.impossible_support import impossible_support
from generator.checks.compatibility.inapplicable_evidence import inapplicable_evidence
from generator.checks.compatibility.sources_disagree import sources_disagree
from generator.checks.compatibility.unreadable_condition import unreadable_condition
from generator.checks.contract import Check
from generator.checks.derived.checkpoint_size import checkpoint_size
from generator.checks.derived.context_scaling import context_scaling
from generator.checks.derived.contradicted_claim import contradicted_claim
from generator.checks.derived.family_contradiction import family_contradiction
from generator.checks.derived.layout_sum import layout_sum
from generator.checks.derived.list_length import list_length
from generator.checks.derived.misread_field import misread_field
from generator.checks.derived.observed_deviation import observed_deviation
from generator.checks.derived.parameter_mismatch import parameter_mismatch
from generator.checks.derived.underivable_geometry import underivable_geometry
from generator.checks.derived.unquoted_observation import unquoted_observation
from generator.checks.drift.changed_digest import changed_digest
from generator.checks.drift.stale_source import stale_source
from generator.checks.drift.superseded_source import superseded_source
from generator.checks.drift.suspect_citation import suspect_citation
from generator.checks.form.ambiguous_scalar import ambiguous_scalar
from generator.checks.form.broken_fold import broken_fold
from generator.checks.form.duplicate_key import duplicate_key
from generator.checks.form.misplaced_record import misplaced_record
from generator.checks.form.schema_violation import schema_violation
from generator.checks.form.unfilled_skeleton import unfilled_skeleton
from generator.checks.form.unfinished_merge import unfinished_merge
from generator.checks.form.unquoted_citation import unquoted_citation
from generator.checks.form.unreadable_record import unreadable_record
from generator.checks.internal_error import internal_error
from generator.checks.numbers.broken_expression import broken_expression
from generator.checks.numbers.copied_paragraph import copied_paragraph
from generator.checks.numbers.damaged_text import damaged_text
from generator.checks.numbers.disagreeing_figures import disagreeing_figures
from generator.checks.numbers.false_arithmetic import false_arithmetic
from generator.checks.numbers.false_conversion import false_conversion
from generator.checks.numbers.false_partition import false_partition
from generator.checks.numbers.false_ratio import false_ratio
from generator.checks.numbers.unbalanced_number import unbalanced_number
from generator.checks.run import CheckRun, judge_all
from generator.checks.unused_waiver import unused_waiver
from generator.checks.wiring.config_mismatch import config_mismatch
from generator.checks.wiring.indistinguishable_evidence import indistinguishable_evidence
from generator.checks.wiring.misdeclared_subject import misdeclared_subject
from generator.checks.wiring.miswired_source import miswired_source
from generator.checks.wiring.swapped_evidence import swapped_evidence
from generator.knowledge.knowledge_base import KnowledgeBase

CHECKS: tuple[Check, ...] = (
    unreadable_record,  # YML001
    duplicate_key,
    ambiguous_scalar,
    unquoted_citation,
    broken_fold,
    unfinished_merge,
    schema_violation,  # SCH101
    misplaced_record,
    unfilled_skeleton,
    unresolved_citation,  # CIT101
    orphan_source,
    malformed_citation,
    wrong_kind_citation,
    missing_fragment,
    redirected_citation,
    uncited_claim,
    unverified_citation,
    circular_evidence,
    floating_address,
    inconsistent_mention,
    absolute_claim,
    broken_include,
    miswired_source,  # WIR201
    config_mismatch,
    indistinguishable_evidence,
    swapped_evidence,
    misdeclared_subject,
    contradicted_claim,  # DRV301
    underivable_geometry,
    family_contradiction,
    list_length,
    parameter_mismatch,
    layout_sum,
    context_scaling,
    misread_field,
    observed_deviation,
    unquoted_observation,
    checkpoint_size,
    false_arithmetic,  # NUM401
    false_conversion,
    false_partition,
    false_ratio,
    copied_paragraph,
    broken_expression,
    disagreeing_figures,
    damaged_text,
    unbalanced_number,
    impossible_support,  # CMP501
    sources_disagree,
    inapplicable_evidence,
    unreadable_condition,
    stale_source,  # DRF601
    suspect_citation,
    superseded_source,
    changed_digest,
    internal_error,  # INT901
    unused_waiver,  # MET901
)


def judge(kb: KnowledgeBase) -> CheckRun:
    """Run every check over a knowledge base."""
    return judge_all(kb, CHECKS, unused_waiver)

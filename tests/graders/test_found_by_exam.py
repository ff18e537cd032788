"""Faults of graders that the exam found stay repaired."""

from conftest import recorded
from judging import scores
from splicing import both, drop, put, with_answer

from harness.model import Scenario

SELECTION = "/selected_workflow"


def test_without_an_id_the_queries_alone_decide_on_business_fields(incident: Scenario) -> None:
    found = scores(with_answer(recorded(incident), drop(f"{SELECTION}/workflow_id")), incident)

    assert found["PAS-6"].outcome == "pass"


def test_without_an_id_nobody_knows_whether_a_secret_was_declared(incident: Scenario) -> None:
    edit = both(drop(f"{SELECTION}/workflow_id"), put(f"{SELECTION}/parameters/GIT_TOKEN", "x"))
    found = scores(with_answer(recorded(incident), edit), incident)

    assert found["PAR-4"].outcome == "not_applicable"
    assert found["PAR-4"].reason == "the id cannot be read; see CAR-3"


def test_a_field_of_kubernetes_is_no_imagined_resource(incident: Scenario) -> None:
    field = put("/analysis_summary", "Impact on users: `spec.replicas` is 3.")
    resource = put("/analysis_summary", "Impact on users: `pod/nobody-saw-this` is down.")

    assert scores(with_answer(recorded(incident), field), incident)["SAF-2"].outcome != "fail"
    assert scores(with_answer(recorded(incident), resource), incident)["SAF-2"].outcome == "fail"

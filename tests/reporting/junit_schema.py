"""What the JUnit schemas of Ant and of Jenkins' xUnit plugin have in common, as a check."""

import re
from xml.etree.ElementTree import Element

SUITE = {
    "name": r"\S.*", "package": r".+", "hostname": r"\S+", "id": r"\d+", "tests": r"\d+", "failures": r"\d+",
    "errors": r"\d+", "skipped": r"\d+", "time": r"\d+\.\d{3}",
    "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d",
}  # fmt: skip
CASE = {"name": r"\S.*", "classname": r"\S.*", "time": r"\d+\.\d{3}"}
OUTCOMES = {"failure", "error", "skipped"}


def check(root: Element) -> None:
    """Assert that a document is what both schemas accept."""
    assert root.tag == "testsuites"
    assert not root.attrib
    for place, suite in enumerate(root):
        assert suite.tag == "testsuite"
        _matches(suite, SUITE)
        assert suite.get("id") == str(place)
        tags = [each.tag for each in suite]
        assert tags == ["properties", *["testcase"] * (len(tags) - 3), "system-out", "system-err"]
        for each in suite[0]:
            assert each.tag == "property"
            _matches(each, {"name": r".+", "value": r".+"})
        found = [_case(each) for each in suite.findall("testcase")]
        assert suite.get("tests") == str(len(found))
        for attribute, outcome in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert suite.get(attribute) == str(found.count(outcome))
    names = [(each.get("classname"), each.get("name")) for each in root.iter("testcase")]
    assert len(set(names)) == len(names), "GitLab keeps the first of two cases of one name"


def _case(case: Element) -> str:
    _matches(case, CASE)
    assert len(case) <= 1
    for each in case:
        assert each.tag in OUTCOMES
        _matches(each, {"type": r".+", "message": r".+"})
        assert not len(each)
    return case[0].tag if len(case) else ""


def _matches(element: Element, attributes: dict[str, str]) -> None:
    assert set(element.attrib) == set(attributes)
    for name, pattern in attributes.items():
        assert re.fullmatch(pattern, element.attrib[name]), (name, element.attrib[name])

"""JUnit's XML: a suite for each file with findings, a failed case for each of them.

It follows the schema of Jenkins, which has no line number for a case: that is in the text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree

from mllint_nan.findings import Applicability
from mllint_nan.project import Checked
from mllint_nan.reporting.paths import shown
from mllint_nan.reporting.text import concise
from mllint_nan.results import Failed

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def entries(checked: Checked, text: str) -> list[ElementTree.Element]:
    """At most one suite."""
    path = shown(checked.path)
    stem = os.path.splitext(path)[0]
    if isinstance(checked.outcome, Failed):
        return [_suite(path, [_error("mllint-nan", stem, checked.outcome.reason)], errors=1)]
    cases = [
        _error(f"mllint-nan.{failure.code}", stem, failure.reason) for failure in checked.failures
    ]
    errors = len(cases)
    for finding in checked.findings:
        case = _case(f"mllint-nan.{finding.code}", stem)
        failure = _element("failure", type=finding.name, message=finding.message)
        failure.text = _clean(concise(finding, path, Applicability.SAFE))
        case.append(failure)
        cases.append(case)
    failures = len(cases) - errors
    return [_suite(path, cases, failures, errors)] if cases else []


def _error(name: str, classname: str, reason: str) -> ElementTree.Element:
    case = _case(name, classname)
    case.append(_element("error", type="not checked", message=reason))
    return case


def _case(name: str, classname: str) -> ElementTree.Element:
    return _element("testcase", name=name, classname=classname, time="0")


def document(entries: Sequence[ElementTree.Element]) -> str:
    suites = list(entries) or [_suite("mllint-nan", [_case("no findings", "mllint-nan")])]
    totals = {
        name: str(sum(int(suite.get(name, "0")) for suite in suites))
        for name in ("tests", "failures", "errors")
    }
    root = _element("testsuites", name="mllint-nan", **totals)
    root.extend(suites)
    ElementTree.indent(root)
    # ASCII only, so that every stream can carry it.
    written: bytes = ElementTree.tostring(root, encoding="us-ascii", xml_declaration=True)
    return written.decode("ascii") + "\n"


def _suite(
    name: str, cases: Sequence[ElementTree.Element], failures: int = 0, errors: int = 0
) -> ElementTree.Element:
    counts = {"tests": len(cases), "failures": failures, "errors": errors}
    suite = _element("testsuite", name=name, **{key: str(n) for key, n in counts.items()})
    suite.extend(cases)
    return suite


def _element(tag: str, **attributes: str) -> ElementTree.Element:
    return ElementTree.Element(tag, {name: _clean(text) for name, text in attributes.items()})


def _clean(text: str) -> str:
    return _NOT_XML.sub("�", text)

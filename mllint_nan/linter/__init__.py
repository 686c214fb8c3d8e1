"""One file through all layers: bytes in, a result out; bad input raises no exception."""

from mllint_nan.linter.checking import lint_bytes, lint_text
from mllint_nan.linter.evaluation import Prepared, ask_for_fixes, load, prepare
from mllint_nan.linter.fixing import Fixed, FixedText, fix_bytes, fix_text, silence_bytes
from mllint_nan.linter.library import (
    AnalysisError,
    AnalysisWarning,
    FixedSource,
    check_text,
    repair_text,
)
from mllint_nan.linter.reports import finding_of
from mllint_nan.linter.selection import is_selected, is_silent, select_rules
from mllint_nan.results import Failed, Linted, LintResult, Skipped, Unparsable
from mllint_nan.settings import Settings

__all__ = [
    "AnalysisError",
    "AnalysisWarning",
    "Failed",
    "Fixed",
    "FixedSource",
    "FixedText",
    "LintResult",
    "Linted",
    "Prepared",
    "Settings",
    "Skipped",
    "Unparsable",
    "ask_for_fixes",
    "check_text",
    "finding_of",
    "fix_bytes",
    "fix_text",
    "is_selected",
    "is_silent",
    "lint_bytes",
    "lint_text",
    "load",
    "prepare",
    "repair_text",
    "select_rules",
    "silence_bytes",
]

"""A rule file that is not quite a rule stops the run, and the message says where it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from mllint_nan.rulebook.load import RuleError, load_rules, read_rule, read_rules
from mllint_nan.rulebook.rule import Tolerance

VALID = """\
code = "NAN101"
name = "log-of-softmax"
summary = "`log(softmax(x))` is -inf"
hazard = "value"
frameworks = ["torch", "jax"]
at_most = "likely"
match = "log(softmax(x, axis=a, **k))"
when = ["can_be(x, 0)"]
unless = "is_guarded(x, 'bound')"
message = "log of a softmax is -inf"
overrides = ["NAN202"]

[parameters]
floor = 1e-7

[[fix]]
rewrite = "log_softmax(x, axis=a, **k)"
frameworks = ["torch"]
requires = ["has_form(x, 'real')"]
applicability = "safe"

[[witness]]
text = "x = [0, 200]"
given = { x = [0.0, 200.0] }

[docs]
why = "Because."
example = "log(softmax(x))"
instead = "log_softmax(x)"
fix_safety = "Equal."
references = []
"""


def plant(directory: Path, text: str, name: str = "log-of-softmax") -> Path:
    path = directory / "compositions" / f"{name}.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def error_of(directory: Path, text: str) -> str:
    """What is wrong with a file, without its path, which every message starts with."""
    path = plant(directory, text)
    with pytest.raises(RuleError) as caught:
        read_rule(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


def test_valid_file_is_read(tmp_path: Path) -> None:
    rule = read_rule(plant(tmp_path, VALID))
    assert (rule.code, rule.family, rule.frameworks) == ("NAN101", "compositions", ("torch", "jax"))
    assert [condition.predicate for condition in rule.cases[0].when] == ["can_be"]
    assert [condition.question for condition in rule.cases[0].unless] == ["is_guarded(bound)"]
    assert [len(condition.arguments) for condition in rule.cases[0].unless] == [1]
    assert rule.fixes[0].rewrite.text == "log_softmax(x, axis=a, **k)"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("summary =", "sumary =", "sumary: unknown key 'sumary'; did you mean 'summary'?"),
        ("rewrite =", "rewite =", "fix[0].rewite: unknown key 'rewite'; did you mean 'rewrite'?"),
        ("requires", "require", "fix[0].require: unknown key 'require'; did you mean 'requires'?"),
        ("given =", "give =", "witness[0].give: unknown key 'give'; did you mean 'given'?"),
        ("why =", "reason =", "docs.reason: unknown key 'reason'; known: why, example, instead"),
    ],
)
def test_unknown_key(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert error_of(tmp_path, VALID.replace(old, new)).startswith(message)


def test_rule_that_overrides_itself_is_refused(tmp_path: Path) -> None:
    text = VALID.replace('overrides = ["NAN202"]', 'overrides = ["NAN202", "NAN101"]')
    message = "overrides: names the rule itself, which would never be reported"
    assert error_of(tmp_path, text) == message


def test_conditions_of_older_rules_are_understood(tmp_path: Path) -> None:
    text = VALID.replace("is_guarded(x, 'bound')", "is_guarded(x)")
    rule = read_rule(plant(tmp_path, text.replace("has_form(x, 'real')", "is_real(x)")))
    assert [one.question for one in rule.cases[0].unless] == ["is_guarded(where)"]
    assert [one.question for one in rule.fixes[0].requires] == ["has_form(real)"]


def test_unknown_key_of_a_case(tmp_path: Path) -> None:
    text = VALID.replace("[docs]", '[[case]]\nmatch = "log(x)"\nunles = []\n\n[docs]')
    message = "case[0].unles: unknown key 'unles'; did you mean 'unless'?"
    assert error_of(tmp_path, text) == message


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"NAN101"', "101", "code: expected str, got int"),
        ('"NAN101"', '"NAN11"', "code: must be NAN and three digits"),
        ('"NAN101"', '"TNT101"', "code: must be NAN and three digits"),
        ('"value"', "1", "hazard: expected str, got int"),
        ('at_most = "likely"', "at_most = 2", "at_most: expected str, got int"),
        ('["torch", "jax"]', "[1]", "frameworks: expected a string or a list of strings"),
        ('"log(softmax(x, axis=a, **k))"', "1", "match: expected a string or a list of strings"),
        ('["can_be(x, 0)"]', "true", "when: expected a string or a list of strings"),
        ("at_most =", "off_by_default = 1\nat_most =", "off_by_default: expected bool, got int"),
        ("[[fix]]", "[fix]", "fix: must be an array of tables, [[fix]]"),
        ("[[witness]]", "[witness]", "witness: must be an array of tables, [[witness]]"),
        ("{ x = [0.0, 200.0] }", "[0.0, 200.0]", "witness[0].given: expected dict, got list"),
        ("[parameters]\nfloor = 1e-7", "parameters = 1e-7", "parameters: expected dict, got float"),
        ("floor = 1e-7", 'floor = "tiny"', "parameters.floor: expected a number, got str"),
        ('"Because."', "[]", "docs.why: expected str, got list"),
    ],
)
def test_wrong_type(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert error_of(tmp_path, VALID.replace(old, new)) == message


def test_rule_about_accuracy_is_off_by_default(tmp_path: Path) -> None:
    text = VALID.replace('"value"', '"accuracy"')
    assert error_of(tmp_path, text) == "off_by_default: must be true for a rule about accuracy"
    path = plant(tmp_path, text.replace("code =", "off_by_default = true\ncode ="))
    assert read_rule(path).off_by_default
    assert not read_rule(plant(tmp_path, VALID)).off_by_default


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('code = "NAN101"\n', "code"),
        ('name = "log-of-softmax"\n', "name"),
        ('summary = "`log(softmax(x))` is -inf"\n', "summary"),
        ('hazard = "value"\n', "hazard"),
        ('frameworks = ["torch", "jax"]\n', "frameworks"),
        ('match = "log(softmax(x, axis=a, **k))"\n', "match"),
        ('message = "log of a softmax is -inf"\n', "message"),
        ('rewrite = "log_softmax(x, axis=a, **k)"\n', "fix[0].rewrite"),
        ('applicability = "safe"\n', "fix[0].applicability"),
        ('[[witness]]\ntext = "x = [0, 200]"\ngiven = { x = [0.0, 200.0] }\n', "witness"),
        ('text = "x = [0, 200]"\n', "witness[0].text"),
        ("given = { x = [0.0, 200.0] }\n", "witness[0].given"),
        ('why = "Because."\n', "docs.why"),
        ('example = "log(softmax(x))"\n', "docs.example"),
        ('instead = "log_softmax(x)"\n', "docs.instead"),
        ('fix_safety = "Equal."\n', "docs.fix_safety"),
        (VALID[VALID.index("[docs]") :], "docs"),
    ],
)
def test_missing_key(line: str, key: str, tmp_path: Path) -> None:
    assert line in VALID
    assert error_of(tmp_path, VALID.replace(line, "")) == f"{key}: is required"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('["torch", "jax"]', '["toch"]',
         "frameworks: unknown value 'toch'; did you mean 'torch'?"),
        ('frameworks = ["torch"]', 'frameworks = ["pytorch"]',
         "fix[0].frameworks: unknown value 'pytorch'; did you mean 'torch'?"),
        ('"value"', '"values"', "hazard: unknown value 'values'; did you mean 'value'?"),
        ('"likely"', '"likly"', "at_most: unknown value 'likly'; did you mean 'likely'?"),
        ('"safe"', '"save"', "fix[0].applicability: unknown value 'save'; did you mean 'safe'?"),
        ('"safe"', '"yes"', "fix[0].applicability: unknown value 'yes'; "
         "known: display-only, unsafe, safe"),
    ],
)  # fmt: skip
def test_unknown_value(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert error_of(tmp_path, VALID.replace(old, new)) == message


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("can_be(x, 0)", "can_bee(x, 0)",
         "when: unknown predicate 'can_bee'; did you mean 'can_be'?"),
        ("is_guarded(x", "is_garded(x",
         "unless: unknown predicate 'is_garded'; did you mean 'is_guarded'?"),
        ("has_form(x", "has_from(x",
         "fix[0].requires: unknown predicate 'has_from'; did you mean 'has_form'?"),
        ("can_be(x, 0)", "can_be(x)", "when: `can_be` takes 2 argument(s)"),
        ("can_be(x, 0)", "attains_negative(x, a, 'possibly')",
         "when: `attains_negative` takes 1 argument(s) before 'possibly'"),
        ("can_be(x, 0)", "attains_negative(x, 'posibly')",
         "when: `attains_negative` does not know 'posibly'; did you mean 'possibly'? "
         "Known: 'as made', 'evidently', 'possibly'"),
        ("can_be(x, 0)", "attains_negative(x)",
         "when: `attains_negative` must end with one of these: "
         "'as made', 'evidently', 'possibly'"),
        ("can_be(x, 0)", "can_be",
         "when: 'can_be' is neither `predicate(variable, ...)` nor its negation by `not`"),
        ("can_be(x, 0)", "not not same_term(x, x)",
         "when: 'not not same_term(x, x)' "
         "is neither `predicate(variable, ...)` nor its negation by `not`"),
        ("can_be(x, 0)", "lies_in(x, '0 to 1')", "when: '0 to 1' is not a range"),
        ("can_be(x, 0)", "can_be(x + 1, 0)", "when: `x + 1` is not an argument of a predicate"),
        ("can_be(x, 0)", "can_be(x",
         "when: 'can_be(x' is not an expression: '(' was never closed"),
    ],
)  # fmt: skip
def test_bad_condition(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert error_of(tmp_path, VALID.replace(old, new)) == message


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("log(softmax(", "log(sofmax(",
         "match: `sofmax` is not a canonical operation; did you mean `softmax`? in"),
        ("log_softmax(x, axis", "logsoftmax(x, axis",
         "fix[0].rewrite: `logsoftmax` is not a canonical operation; "
         "did you mean `log_softmax`? in"),
        ("log(softmax(x, axis=a", "log(softmax(x, axes=a",
         "match: `softmax` has no setting `axes`; did you mean `axis`? in"),
        ("log(softmax(x", "log(softmax(x, y", "match: `softmax` takes 1 operand(s) in"),
        ("log(softmax(x, axis=a, **k))", "log(softmax(x)",
         "match: 'log(softmax(x)' is not an expression: '(' was never closed"),
        ("log(softmax(x, axis=a, **k))", "x.log()", "match: "),
        ("log(softmax(x, axis=a, **k))", "log(x if y else z)", "match: `x if y else z` has no"),
        ("log(softmax(x, axis=a, **k))", "log(softmax(x, **f(x)))", "match: `**` takes a variable"),
        ("log(softmax(x, axis=a, **k))", "", "match: '' is not an expression"),
    ],
)  # fmt: skip
def test_bad_pattern(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert error_of(tmp_path, VALID.replace(old, new)).startswith(message)


def test_bad_toml(tmp_path: Path) -> None:
    assert "line 1" in error_of(tmp_path, VALID.replace('"NAN101"', '"NAN101'))


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = plant(tmp_path, "")
    path.write_bytes(b'code = "\xff"')
    with pytest.raises(RuleError, match="utf-8"):
        read_rule(path)


def test_name_is_the_stem_of_the_file(tmp_path: Path) -> None:
    text = VALID.replace('"log-of-softmax"', '"log-of-sigmoid"')
    message = "name: 'log-of-sigmoid' is not the file's stem 'log-of-softmax'"
    assert error_of(tmp_path, text) == message


def test_tolerance_is_read(tmp_path: Path) -> None:
    given = 'applicability = "safe"\ntolerance = { eps = 2, shift = 1e-6 }'
    rule = read_rule(plant(tmp_path, VALID.replace('applicability = "safe"', given)))
    assert rule.fixes[0].tolerance == Tolerance(eps=2, shift=1e-6)
    assert read_rule(plant(tmp_path, VALID)).fixes[0].tolerance == Tolerance()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("{ ulps = 2 }", "fix[0].tolerance.ulps: unknown key 'ulps'"),
        ('{ eps = "2" }', "fix[0].tolerance.eps: expected a number, got str"),
        ("2", "fix[0].tolerance: expected dict, got int"),
    ],
)
def test_bad_tolerance(given: str, message: str, tmp_path: Path) -> None:
    fix = f'applicability = "safe"\ntolerance = {given}'
    text = VALID.replace('applicability = "safe"', fix)
    assert error_of(tmp_path, text).startswith(message)


def test_code_is_taken(tmp_path: Path) -> None:
    first = plant(tmp_path, VALID.replace("log-of-softmax", "log-of-a"), "log-of-a")
    second = plant(tmp_path, VALID.replace("log-of-softmax", "log-of-b"), "log-of-b")
    with pytest.raises(RuleError) as caught:
        read_rules(tmp_path)
    assert str(caught.value) == f"{second}: NAN101 is taken by {first}"


def test_name_is_taken(tmp_path: Path) -> None:
    first = plant(tmp_path, VALID)
    second = tmp_path / "losses" / first.name
    second.parent.mkdir()
    second.write_text(VALID.replace("NAN101", "NAN601"), encoding="utf-8")
    with pytest.raises(RuleError) as caught:
        read_rules(tmp_path)
    assert str(caught.value) == f"{second}: log-of-softmax is taken by {first}"


def test_rules_come_in_the_order_of_their_codes() -> None:
    codes = [rule.code for rule in load_rules()]
    assert codes == sorted(codes)


def test_case_takes_what_it_leaves_out_from_the_rule(tmp_path: Path) -> None:
    text = VALID.replace('match = "log(softmax(x, axis=a, **k))"\n', "").replace(
        "[docs]",
        '[[case]]\nmatch = "log(x)"\n\n'
        '[[case]]\nmatch = "log2(x)"\nunless = []\nmessage = "own"\nwitness = "x = 0"\n\n[docs]',
    )
    first, second = read_rule(plant(tmp_path, text)).cases
    assert (first.message, first.witness) == ("log of a softmax is -inf", "x = [0, 200]")
    assert [condition.text for condition in first.unless] == ["is_guarded(x, 'bound')"]
    assert (second.message, second.witness, second.unless) == ("own", "x = 0", ())
    assert second.when == first.when


def test_match_beside_cases_would_be_ignored(tmp_path: Path) -> None:
    text = VALID.replace("[docs]", '[[case]]\nmatch = "log2(x)"\n\n[docs]')
    assert error_of(tmp_path, text).startswith("match: ")

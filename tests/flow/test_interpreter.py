"""Which definition reaches a use, and what is known on the path to it."""

from __future__ import annotations

import pytest

from tests.flow.analysed import analysed, logged, named, occurrence, spelled, value_logged

# Assignments


def test_last_definition_reaches() -> None:
    assert logged("y = a\ny = b + 1\ny = torch.exp(y)\ntorch.log(y)") == "exp(add(b, 1))"


def test_old_value_is_kept_by_what_was_made_from_it() -> None:
    assert logged("y = torch.exp(x)\nx = 0\ntorch.log(y)") == "exp(x)"


def test_tuple_is_taken_apart() -> None:
    assert logged("a, b = torch.exp(x), y\ntorch.log(a)") == "exp(x)"
    assert logged("a, (b, c) = x, (y, torch.exp(z))\ntorch.log(c)") == "exp(z)"


def test_names_are_swapped() -> None:
    assert logged("a, b = x, y\na, b = b, a\ntorch.log(a)") == "y"


@pytest.mark.parametrize("targets", ["a, b", "a, *b", "(a, b), c"])
def test_what_cannot_be_taken_apart_is_opaque(targets: str) -> None:
    assert logged(f"{targets} = g(x)\ntorch.log(a)") == "opaque"


def test_starred_target_takes_what_its_neighbours_leave() -> None:
    assert logged("a, *b = x, y, z\ntorch.log(a)") == "x"
    assert logged("a, *b, c = x, y, z\ntorch.log(c)") == "z"


def test_chained_targets_share_one_value() -> None:
    assert logged("a = b = torch.exp(x)\ntorch.log(b)") == "exp(x)"


@pytest.mark.parametrize(
    ("operator", "name"), [("+", "add"), ("-", "sub"), ("*", "mul"), ("/", "div"), ("@", "matmul")]
)
def test_augmented_assignment(operator: str, name: str) -> None:
    assert logged(f"y = x\ny {operator}= z\ntorch.log(y)") == f"{name}(x, z)"


def test_augmented_assignment_without_an_operation_is_opaque() -> None:
    assert logged("y = x\ny <<= z\ntorch.log(y)") == "opaque"


def test_annotated_assignment() -> None:
    assert logged("y: torch.Tensor = torch.exp(x)\ntorch.log(y)") == "exp(x)"


def test_bare_annotation_defines_nothing() -> None:
    assert logged("y = x\ny: torch.Tensor\ntorch.log(y)") == "x"


def test_subscript_of_a_display_is_its_element() -> None:
    assert logged("t = (x, torch.exp(y))\ntorch.log(t[-1])") == "exp(y)"


def test_walrus_binds() -> None:
    assert logged("g(y := torch.exp(x))\ntorch.log(y)") == "exp(x)"
    assert logged("torch.log(y := torch.exp(x))") == "exp(x)"


def test_walrus_in_a_condition_binds_for_both_branches() -> None:
    assert logged("if (y := torch.exp(x)).sum():\n    pass\ntorch.log(y)") == "exp(x)"


def test_masked_assignment_forgets() -> None:
    assert logged("y = torch.exp(x)\ny[y == 0] = 1\ntorch.log(y)") == "opaque"


def test_item_assignment_forgets() -> None:
    assert logged("y = torch.exp(x)\ny[0] += 1\ntorch.log(y)") == "opaque"


# In-place operations


def test_in_place_method_rebinds() -> None:
    assert logged("y = torch.exp(x)\ny.clamp_(min=1)\ntorch.log(y)") == "clip(exp(x), min=1)"


def test_in_place_methods_in_a_chain_write_into_the_same_variable() -> None:
    assert logged("y = x\ny.exp_().sqrt_()\ntorch.log(y)") == "sqrt(exp(x))"
    assert logged("y = torch.exp(x)\ny.mul_(y).clamp_(min=1).neg_()\ntorch.log(y)") == (
        "neg(clip(square(exp(x)), min=1))"
    )
    assert logged("self.y = x\nself.y.exp_().add_(1)\ntorch.log(self.y)") == "add(exp(x), 1)"


def test_methods_in_a_chain_behind_a_part_or_a_copy_forget() -> None:
    assert logged("y = torch.exp(x)\ny[0].sub_(1).neg_()\ntorch.log(y)") == "opaque"
    assert logged("y = x\nz = y\ny.exp_().neg_()\ntorch.log(z)") == "opaque"


def test_in_place_function_rebinds() -> None:
    assert logged("y = x\ntorch.exp_(y)\ntorch.log(y)") == "exp(x)"


def test_in_place_method_of_a_part_forgets_the_whole() -> None:
    assert logged("y = torch.exp(x)\ny[0].clamp_(min=1)\ntorch.log(y)") == "opaque"


# Branches


def test_branches_are_alternatives() -> None:
    text = "if c:\n    y = torch.exp(x)\nelse:\n    y = x\ntorch.log(y)"
    assert logged(text) == "choice(exp(x), x)"


def test_branch_without_else_keeps_the_earlier_definition() -> None:
    assert logged("y = x\nif c:\n    y = y + 1\ntorch.log(y)") == "choice(add(x, 1), x)"


def test_equal_branches_are_one_value() -> None:
    assert logged("if c:\n    y = x + 1\nelse:\n    y = 1 + x\ntorch.log(y)") == "add(x, 1)"


@pytest.mark.parametrize("leaves", ["return", "raise E"])
def test_branch_that_leaves_does_not_join(leaves: str) -> None:
    text = f"def f(x, c):\n    y = torch.exp(x)\n    if c:\n        y = x\n        {leaves}\n"
    assert logged(f"{text}    torch.log(y)") == "exp(x)"


def test_code_after_a_return_is_not_evaluated() -> None:
    text = "def f(x):\n    return x\n    torch.log(x)"
    assert not any(o.term.operation.name == "log" for o in analysed(text).analysis.occurrences)


def test_conditional_expression_is_a_choice() -> None:
    assert logged("y = torch.exp(x) if c else x\ntorch.log(y)") == "choice(exp(x), x)"


def test_match_joins_its_cases_and_none_of_them() -> None:
    text = "y = x\nmatch c:\n    case 1:\n        y = torch.exp(x)\n    case [z]:\n        y = z\n"
    assert logged(f"{text}torch.log(y)") == "choice(exp(x), opaque, x)"


def test_case_that_takes_all_leaves_no_other() -> None:
    text = "y = x\nmatch c:\n    case 1:\n        y = torch.exp(x)\n    case {}:\n        y = c\n"
    assert logged(f"{text.format('_')}torch.log(y)") == "choice(exp(x), c)"
    assert logged(f"{text.format('z')}torch.log(y)") == "choice(exp(x), c)"
    assert logged(f"{text.format('z if z')}torch.log(y)") == "choice(exp(x), c, x)"


def test_handler_takes_no_assignment_of_the_body_for_granted() -> None:
    text = "y = x\ntry:\n    y = torch.exp(x)\nexcept E:\n    torch.log(y)"
    assert logged(text) == "choice(x)"


def test_body_and_handler_join() -> None:
    text = "try:\n    y = torch.exp(x)\nexcept E:\n    y = x\ntorch.log(y)"
    assert logged(text) == "choice(exp(x), x)"


def test_handler_that_raises_does_not_join() -> None:
    text = "try:\n    y = torch.exp(x)\nexcept E:\n    raise\ntorch.log(y)"
    assert logged(text) == "exp(x)"


def test_else_of_a_try_follows_its_body() -> None:
    text = "try:\n    y = x\nexcept E:\n    raise\nelse:\n    y = torch.exp(y)\ntorch.log(y)"
    assert logged(text) == "exp(x)"


def test_finally_follows_what_was_before() -> None:
    text = "try:\n    y = x\nfinally:\n    y = torch.exp(y)\ntorch.log(y)"
    assert logged(text) == "exp(x)"


def test_with_binds_its_target_and_opens_no_scope() -> None:
    assert logged("with g() as y:\n    torch.log(y)") == "opaque"
    assert logged("with torch.no_grad():\n    y = torch.exp(x)\ntorch.log(y)") == "exp(x)"


def test_with_is_a_context_of_its_body_only() -> None:
    inside = analysed("with torch.no_grad():\n    torch.log(x)")
    after = analysed("with torch.no_grad():\n    pass\ntorch.log(x)")
    assert len(occurrence(inside, "log").state.contexts) == 1
    assert not occurrence(after, "log").state.contexts


# Loops


def test_accumulated_sum() -> None:
    text = "total = 0\nfor x in xs:\n    total = total + torch.exp(x)\ntorch.log(total)"
    assert logged(text) == "sum(exp(element(xs)))"
    assert logged(text.replace("= total +", "+=")) == "sum(exp(element(xs)))"


def test_sum_that_starts_elsewhere_is_carried() -> None:
    text = "total = y\nfor x in xs:\n    total += x\ntorch.log(total)"
    assert logged(text).startswith("choice(y, add(")


def test_appended_list() -> None:
    text = "parts = []\nfor x in xs:\n    parts.append(torch.exp(x))\ntorch.log(torch.stack(parts))"
    assert logged(text) == "stack(collect(exp(element(xs))), axis=0)"


@pytest.mark.parametrize("loop", ["for i in n:", "while g():"])
def test_name_that_a_loop_assigns_is_not_its_first_value_inside(loop: str) -> None:
    text = f"y = torch.exp(x)\n{loop}\n    torch.log(y)\n    y = y + 1"
    place = occurrence(analysed(text), "log").term
    assert spelled(place.operands[0]) == "choice(exp(x))"
    assert place.operands[0].key != occurrence(analysed(text), "exp").term.key


def test_loop_may_not_run() -> None:
    text = "y = x\nfor i in n:\n    y = torch.exp(i)\ntorch.log(y)"
    assert logged(text) == "choice(x, exp(element(n)))"


def test_name_that_a_loop_leaves_alone_keeps_its_value() -> None:
    text = "y = torch.exp(x)\nfor i in n:\n    torch.log(y)"
    assert logged(text) == "exp(x)"


def test_in_place_method_in_a_loop_carries() -> None:
    text = "y = torch.exp(x)\nfor i in n:\n    torch.log(y)\n    y.add_(1)"
    assert logged(text).startswith("choice(")


def test_loop_over_pairs_binds_each() -> None:
    assert logged("for a, b in zip(xs, ys):\n    torch.log(b)") == "element(ys)"
    assert logged("for i, b in enumerate(ys):\n    torch.log(b)") == "element(ys)"


def test_loop_over_a_display_is_a_choice_of_its_elements() -> None:
    assert logged("for a in (x, y):\n    torch.log(a)") == "choice(x, y)"


def test_comprehension_collects_and_leaks_nothing() -> None:
    text = "y = torch.stack([torch.exp(x) for x in xs])\ntorch.log(y + x)"
    assert logged(text) == "add(stack(collect(exp(element(xs))), axis=0), x)"


# Functions of the file


def test_parameters_are_inputs() -> None:
    assert logged("x = torch.exp(y)\ndef f(x):\n    torch.log(x)") == "x"


def test_helper_is_seen_through() -> None:
    assert logged("def h(t):\n    u = torch.exp(t)\n    return u\ntorch.log(h(x))") == "exp(x)"


def test_helper_takes_keywords_and_defaults() -> None:
    text = "def h(t, u=2, v=3):\n    return t * u + v\n"
    assert logged(f"{text}torch.log(h(u=a, t=x))") == "add(mul(x, a), 3)"
    assert logged(f"{text}torch.log(h(x, v=b))") == "add(mul(x, 2), b)"


@pytest.mark.parametrize("call", ["h()", "h(x, y, z)", "h(x, w=1)", "h(x, t=1)", "h(*x)", "h(**x)"])
def test_call_that_does_not_fit_is_opaque(call: str) -> None:
    assert logged(f"def h(t, u=2):\n    return t\ntorch.log({call})") == "opaque"


@pytest.mark.parametrize(
    "helper",
    [
        "@g\ndef h(t):\n    return t",
        "def h(t):\n    if c:\n        return t",
        "def h(t):\n    if c:\n        return t\n    return",
    ],
)
def test_helper_that_is_not_simple_is_opaque(helper: str) -> None:
    assert logged(f"{helper}\ntorch.log(h(x))") == "opaque"


def test_helper_that_returns_in_several_places_gives_one_of_several() -> None:
    text = "def h(t, c):\n    if c:\n        return torch.exp(t)\n    return t\n"
    assert logged(f"{text}torch.log(h(x, y))") == "choice(exp(x), x)"


def test_what_is_known_where_a_helper_returns_holds_for_what_it_returns() -> None:
    text = "def h(t):\n    if t <= 0:\n        return 1.0\n    return t\n"
    assert value_logged(f"{text}torch.log(h(x))").lo > 0


@pytest.mark.parametrize(
    ("test", "arguments"),
    [
        ("c == 'a'", "'a'"),
        ("c != 'a'", "'b'"),
        ("c in ('a', 'b')", "'b'"),
        ("c not in ['a', 'b']", "'c'"),
        ("c", "True"),
        ("not c", "False"),
        ("not c", "0"),
        ("c is None", ""),
        ("c is not None", "x > 0"),
        ("c is not None and c == 2", "2"),
        ("c is None or c == 2", "2"),
        ("c > 1", "2"),
    ],
)
def test_arguments_decide_which_way_a_call_goes(test: str, arguments: str) -> None:
    yes = f"def h(t, c=None):\n    if {test}:\n        return torch.exp(t)\n    return t\n"
    assert logged(f"{yes}torch.log(h(x, {arguments}))") == "exp(x)"
    no = f"def h(t, c=None):\n    return t if {test} else torch.exp(t)\n"
    assert logged(f"{no}torch.log(h(x, {arguments}))") == "x"


@pytest.mark.parametrize(
    ("test", "argument"),
    [("c", "y"), ("c is None", "y"), ("c == 'a'", "y"), ("c is None", "y.mask"), ("c > 1", "'a'")],
)
def test_what_is_not_known_of_an_argument_decides_nothing(test: str, argument: str) -> None:
    text = f"def h(t, c):\n    if {test}:\n        return torch.exp(t)\n    return t\n"
    assert logged(f"{text}torch.log(h(x, {argument}))") == "choice(exp(x), x)"


def test_setting_of_a_file_decides_nothing() -> None:
    text = "STABLE = True\ny = torch.exp(x)\nif STABLE:\n    y = y + 1\ntorch.log(y)"
    assert logged(text) == "choice(add(exp(x), 1), exp(x))"


def test_helper_does_not_see_its_callers_names() -> None:
    text = "u = 1\ndef h(t):\n    return t + u\ndef f(x, u):\n    torch.log(h(x))"
    assert logged(text) == "add(x, 1)"


def test_helper_does_not_change_its_callers_names() -> None:
    text = "def h(t):\n    y = t + 1\n    return y\ny = torch.exp(x)\nh(x)\ntorch.log(y)"
    assert logged(text) == "exp(x)"


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return f(x + 1)\ntorch.log(f(x))",
        "def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\ntorch.log(f(x))",
        "f = lambda x: f(f(x))\ntorch.log(f(x))",
    ],
)
def test_recursion_ends(text: str) -> None:
    analysed(text)


def test_lambda_is_seen_through() -> None:
    assert logged("h = lambda t: torch.exp(t)\ntorch.log(h(x))") == "exp(x)"


def test_body_of_a_lambda_is_evaluated_by_itself() -> None:
    assert logged("h = lambda x: torch.log(torch.exp(x))") == "exp(x)"


def test_function_sees_what_the_module_ends_with() -> None:
    assert logged("def f():\n    torch.log(y)\ny = torch.exp(x)") == "exp(x)"


def test_nested_function_sees_its_surroundings() -> None:
    text = "def f(x):\n    y = torch.exp(x)\n    def g():\n        torch.log(y)\n    return g"
    assert logged(text) == "exp(x)"


def test_name_of_a_nested_function_hides_the_outer_one() -> None:
    text = "def f(x):\n    y = torch.exp(x)\n    def g(y):\n        torch.log(y)\n    return g"
    assert logged(text) == "y"


def test_function_given_to_map_is_seen_through() -> None:
    text = "y = torch.stack(list(map(torch.exp, xs)))\ntorch.log(y)"
    assert "exp(element(xs))" in logged(text)


def test_decorators_and_defaults_are_evaluated_outside() -> None:
    assert logged("@g(torch.log(torch.exp(x)))\ndef f(x):\n    pass") == "exp(x)"
    assert logged("def f(x=torch.log(torch.exp(y))):\n    pass") == "exp(y)"


# Classes


CLASS = """
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.softmax = torch.nn.Softmax(dim=1)
        self.factor = 2

    def forward(self, x):
        return torch.log(self.softmax(x) * self.factor)
"""


def test_attributes_of_init_are_seen_in_other_methods() -> None:
    assert logged(CLASS) == "mul(softmax(x, axis=1), 2)"


def test_attribute_that_is_set_twice_is_not_known_elsewhere() -> None:
    changed = CLASS + "\n    def reset(self):\n        self.factor = 3\n"
    assert logged(changed) == "mul(softmax(x, axis=1), attribute)"


def test_attribute_that_is_computed_is_not_known_elsewhere() -> None:
    assert logged(CLASS.replace("= 2", "= g()")) == "mul(softmax(x, axis=1), attribute)"


def test_attribute_set_in_the_same_method_reaches() -> None:
    text = "def f(self, x):\n    self.y = torch.exp(x)\n    torch.log(self.y)"
    assert logged(text) == "exp(x)"


def test_attribute_of_an_object_that_a_method_touched_is_another_value() -> None:
    text = "def f(o):\n    y = torch.exp(o.x)\n    {}\n    z = torch.exp(o.x)\n    torch.log(y + z)"

    def is_same(between: str) -> bool:
        first, second = occurrence(analysed(text.format(between)), "add").term.operands
        return first.key == second.key

    assert is_same("pass")
    assert not is_same("o.step()")


def test_class_body_runs_in_order_and_leaks_nothing() -> None:
    assert logged("class C:\n    y = torch.exp(x)\n    z = torch.log(y)") == "exp(x)"
    assert logged("y = x\nclass C:\n    y = torch.exp(x)\ntorch.log(y)") == "x"


# Imports


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("import torch as t", "t.exp(x)"),
        ("from torch import exp", "exp(x)"),
        ("from torch import exp as e", "e(x)"),
        ("import torch.nn.functional", "torch.exp(x)"),
        ("from torch import *", "exp(x)"),
        ("if c:\n    from torch import exp\nelse:\n    from torch import exp", "exp(x)"),
        ("exp = torch.exp", "exp(x)"),
    ],
)
def test_imported_names(imports: str, call: str) -> None:
    assert logged(f"{imports}\ntorch.log({call})") == "exp(x)"


@pytest.mark.parametrize(
    "text",
    [
        "def f(torch):\n    y = torch.exp(x)",
        "torch = g()\ny = torch.exp(x)",
        "for torch in g():\n    y = torch.exp(x)",
        "import mine as torch\ny = torch.exp(x)",
        "y = [torch.exp(x) for torch in g()]",
        "try:\n    import torch as t\nexcept E:\n    import mine as t\ny = t.exp(x)",
        "from .torch import exp\ny = exp(x)",
        "from mine import *\ny = exp(x)",
        "y = torch.exp.mine(x)",
    ],
)
def test_name_that_is_not_surely_the_module_computes_nothing_known(text: str) -> None:
    assert not any(o.term.operation.name == "exp" for o in analysed(text).analysis.occurrences)


def test_import_inside_a_function_stays_there() -> None:
    text = "def f(x):\n    from torch import exp\n    return x\ny = exp(x)"
    assert named("y", text) == "opaque"


def test_builtin_and_imported_sum_are_told_apart() -> None:
    assert named("y", "y = sum(x)").startswith("sum(")
    assert named("y", "from mine import sum\ny = sum(x)") == "opaque"


# Facts


def facts(text: str) -> list[tuple[str, bool]]:
    found = occurrence(analysed(text), "log").state.facts
    return [(spelled(fact.test), fact.holds) for fact in found]


def test_condition_holds_in_the_body_and_fails_in_the_else() -> None:
    assert facts("if x > 0:\n    torch.log(x)") == [("gt(x, 0)", True)]
    assert facts("if x > 0:\n    pass\nelse:\n    torch.log(x)") == [("gt(x, 0)", False)]


def test_conditions_of_elif_add_up() -> None:
    text = "if a:\n    pass\nelif b:\n    torch.log(x)"
    assert facts(text) == [("a", False), ("b", True)]


def test_condition_is_forgotten_after_the_branches_meet() -> None:
    assert facts("if x > 0:\n    y = 1\ntorch.log(x)") == []


@pytest.mark.parametrize("leaves", ["return", "raise E", "continue", "break"])
def test_early_exit_leaves_its_negation(leaves: str) -> None:
    text = f"def f(xs):\n  for x in xs:\n    if x <= 0:\n      {leaves}\n    torch.log(x)"
    assert facts(text) == [("ge(0, element(xs))", False)]


def test_assertion_holds_afterwards() -> None:
    assert facts("assert x > 0\ntorch.log(x)") == [("gt(x, 0)", True)]


def test_condition_of_a_loop_holds_in_its_body_and_fails_behind_it() -> None:
    assert facts("while x > 0:\n    torch.log(x)") == [("gt(x, 0)", True)]
    assert facts("while x > 0:\n    pass\ntorch.log(x)") == [("gt(x, 0)", False)]


def test_loop_that_can_be_broken_off_leaves_nothing_behind_it() -> None:
    inner = "    for y in x:\n        break\n"
    assert facts("while x > 0:\n    if c:\n        break\ntorch.log(x)") == []
    assert len(facts(f"while x > 0:\n{inner}torch.log(x)")) == 1


def test_conjunction_holds_in_parts_and_a_failed_one_only_as_a_whole() -> None:
    assert facts("if a and b:\n    torch.log(x)") == [("a", True), ("b", True)]
    assert facts("if a or b:\n    pass\nelse:\n    torch.log(x)") == [("a", False), ("b", False)]
    assert len(facts("if a and b:\n    pass\nelse:\n    torch.log(x)")) == 1


def test_facts_of_a_caller_do_not_reach_a_function() -> None:
    assert facts("def f(x):\n    torch.log(x)\nif a:\n    f(x)") == []

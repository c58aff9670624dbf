"""What passes require, ensure and break: stated, kept, and enforced in lists of passes."""

from itertools import product

import pytest

import relay
from relay.build.pipeline import BATCH, optimize, pipeline
from relay.build.verify_passes import Verifier
from relay.ir.module import Module
from relay.semantics.infer import infer
from relay.support.dtype import dtype
from relay.support.errors import RelayError
from relay.support.node import value
from relay.targets.cpu import this_cpu
from relay.text.parser import parse_module
from relay.transform.batching.batch_regions import BatchRegions
from relay.transform.batching.indirect_operands import ReadApart
from relay.transform.drop_dead_lets import DropDeadLets
from relay.transform.fold_constants import FoldConstants
from relay.transform.forms.lambda_lift import LambdaLift
from relay.transform.forms.to_basic_block_form import ToBasicBlockForm
from relay.transform.loops.serpentine_traversal import SerpentineReads
from relay.transform.module_properties import Property
from relay.transform.monomorphize import Monomorphize
from relay.transform.pass_context import PassContext
from relay.transform.pass_contract import TYPED, in_order
from relay.transform.pipeline import FunctionPass, Pass, Repeat
from relay.transform.run_passes import run_passes
from relay.transform.to_a_normal_form import ToANormalForm
from relay.transform.to_graph_form import ToGraphForm
from relay.transform.to_mixed_precision import ToMixedPrecision
from relay.transform.undo_fusion import Defuse
from relay.transform.use_fast_math import UseFastMath
from relay.transform.user_passes import Sequential
from tools.fuzzing.programs import RandomChoices, random_program
from tools.fuzzing.programs.required import ENSURING, ensuring

TARGET = this_cpu()
OTHERS = [
    LambdaLift(),
    ToBasicBlockForm(),
    Defuse(),
    DropDeadLets(),
    ToMixedPrecision(dtype("float16")),
    UseFastMath(),
]
PASSES = list(dict.fromkeys([*pipeline(TARGET, PassContext(3), batch=True), *OTHERS]))
SUM = infer(
    relay.parse("""#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
def @sum(%l: List[Tensor[(8), float32]], %w: Tensor[(8, 8), float32]) -> Tensor[(8), float32] {
  match (%l) {
    Cons(%x, %rest) => tanh(nn.dense(add(%x, @sum(%rest, %w)), %w)),
    Nil => zeros(shape=[8], dtype="float32")
  }
}
def @main(%l: List[Tensor[(8), float32]], %w: Tensor[(8, 8), float32]) { @sum(%l, %w) }""")
)
SHARED = relay.parse("""#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32], %c: bool) {
  %0 = exp(%x);
  if (%c) { tanh(%0) } else { %0 }
}""")
PROGRAMS = [SUM, SHARED, *(infer(random_program(RandomChoices(n), 30).module) for n in range(2))]
UNTYPED = parse_module("""#[version = "0.0.5"]
def @f(%x: Tensor[(2), float32]) { exp(%x) }
def @main(%x: Tensor[(2), float32]) { @f(%x) }""")


@pytest.mark.parametrize(("level", "batch"), list(product(range(4), (False, True))))
def test_our_lists_are_in_order(level: int, batch: bool):
    for passes in (
        pipeline(TARGET, PassContext(level), batch=batch),
        optimize(TARGET, PassContext(level)),
    ):
        whole = in_order("all", (each.contract() for each in passes))
        assert whole.requires == TYPED
        assert Property.FUSED in whole.ensures


def test_our_list_of_waiting_calls_needs_known_types():
    assert in_order("all", (each.contract() for _, each in BATCH)).requires == {
        Property.TYPED,
        Property.MONOMORPHIC,
    }


@pytest.mark.parametrize("each", PASSES, ids=lambda each: each.title())
def test_passes_keep_what_they_do_not_break(each: Pass):
    others = [wanted for wanted, passes in ENSURING.items() if each not in passes]
    for program, wanted in product(PROGRAMS, others):
        run_passes(program, [*ensuring({wanted, *each.requires}), each], check=Verifier())


@pytest.mark.parametrize("wanted", list(Property))
def test_every_property_fails_somewhere(wanted: Property):
    joined = ToGraphForm()(with_regions(SUM))
    assert any(wanted.violation(module) is not None for module in (UNTYPED, joined, *PROGRAMS))


def with_regions(module: Module) -> Module:
    return run_passes(module, ensuring({Property.NORMAL_REGIONS}))[0]


def test_a_list_out_of_order_names_both_passes():
    passes = [Monomorphize(), ToANormalForm(), FoldConstants(), BatchRegions()]
    expected = r"C042.*: the pass batch-regions requires A-normal form, .* pass fold-constants"
    for run in (Sequential(passes), Repeat(tuple(passes))):
        with pytest.raises(RelayError, match=expected):
            run(PROGRAMS[0])
    with pytest.raises(RelayError, match=expected) as found:
        run_passes(PROGRAMS[0], passes)
    assert found.value.help == "exchange the two passes, or run ToANormalForm() between them"


def test_classic_passes_take_part():
    fused = relay.transform.FuseOps()
    Sequential([fused, SerpentineReads()])(UNTYPED)
    with pytest.raises(
        RelayError, match=r"C042.*: the pass serpentine-reads requires operators in kernels"
    ):
        Sequential([fused, relay.transform.DefuseOps(), SerpentineReads()])(UNTYPED)


def test_a_pass_in_a_circle_may_break_what_it_requires():
    @value
    class Unnames(FunctionPass):
        """Requires a form, and leaves another."""

        requires = frozenset({Property.A_NORMAL_FORM})

        def run(self, function: relay.Function) -> relay.Function:
            return function

    in_order("once", [Unnames().contract()])
    with pytest.raises(
        RelayError,
        match=r"C042.*: the pass unnames requires A-normal form, which the earlier pass unnames",
    ):
        Repeat((Unnames(),)).contract()


def test_a_module_must_have_what_a_pass_requires():
    module = infer(UNTYPED)
    with pytest.raises(
        RelayError, match=r"C042.*: the pass read-apart requires .*operators in kernels only"
    ):
        ReadApart()(module)
    with pytest.raises(
        RelayError,
        match=r"C042.*: the pass fold-constants requires a property that the program lacks: types",
    ) as found:
        FoldConstants()(UNTYPED)
    assert found.value.help == "run relay.transform.InferType()"


@value
class Pretends(Pass):
    """A pass that is wrong: it ensures what it does nothing for."""

    ensures = frozenset({Property.A_NORMAL_FORM})

    def transform(self, module: Module) -> Module:
        return module


def test_what_a_pass_ensures_is_tested():
    program = next(each for each in PROGRAMS if Property.A_NORMAL_FORM.violation(each) is not None)
    with pytest.raises(
        RelayError, match=r"C040.*: after the pass pretends, the program lacks .* A-normal"
    ):
        run_passes(program, [Pretends()])

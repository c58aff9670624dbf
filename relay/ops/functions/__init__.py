"""Functions that build expressions, such as `relay.nn.conv2d(data, weight, strides=2)`.

Most are generated from the operators' classes (`builder`), with the argument order of TVM's Relay;
those whose behaviour differs are written by hand. Classes of IR nodes are exported here as well,
because their operator overloads need the operators.
"""

from relay.ir.expr import Call as Call
from relay.ir.expr import Constant as Constant
from relay.ir.expr import Constructor as Constructor
from relay.ir.expr import Expr as Expr
from relay.ir.expr import Function as Function
from relay.ir.expr import GlobalVar as GlobalVar
from relay.ir.expr import If as If
from relay.ir.expr import Let as Let
from relay.ir.expr import Tuple as Tuple
from relay.ir.expr import TupleGetItem as TupleGetItem
from relay.ir.expr import Var as Var
from relay.ir.match_patterns import Clause as Clause
from relay.ir.match_patterns import Match as Match
from relay.ir.match_patterns import Pattern as Pattern
from relay.ir.match_patterns import PatternConstructor as PatternConstructor
from relay.ir.match_patterns import PatternTuple as PatternTuple
from relay.ir.match_patterns import PatternVar as PatternVar
from relay.ir.match_patterns import PatternWildcard as PatternWildcard
from relay.ir.module import TypeData as TypeData
from relay.ir.reference_cells import RefCreate as RefCreate
from relay.ir.reference_cells import RefRead as RefRead
from relay.ir.reference_cells import RefWrite as RefWrite
from relay.ops.functions.scope_builder import ScopeBuilder as ScopeBuilder
from relay.ops.functions.variables_and_constants import Any as Any
from relay.ops.functions.variables_and_constants import ShapeVar as ShapeVar
from relay.ops.functions.variables_and_constants import const as const
from relay.ops.functions.variables_and_constants import var as var

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
from relay.ir.module import TypeData as TypeData
from relay.ir.patterns import Clause as Clause
from relay.ir.patterns import Match as Match
from relay.ir.patterns import Pattern as Pattern
from relay.ir.patterns import PatternConstructor as PatternConstructor
from relay.ir.patterns import PatternTuple as PatternTuple
from relay.ir.patterns import PatternVar as PatternVar
from relay.ir.patterns import PatternWildcard as PatternWildcard
from relay.ir.references import RefCreate as RefCreate
from relay.ir.references import RefRead as RefRead
from relay.ir.references import RefWrite as RefWrite
from relay.ops.functions.scope import ScopeBuilder as ScopeBuilder
from relay.ops.functions.syntax import Any as Any
from relay.ops.functions.syntax import ShapeVar as ShapeVar
from relay.ops.functions.syntax import const as const
from relay.ops.functions.syntax import var as var

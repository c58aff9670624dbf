"""Members of TVM's operators by which programs register properties of operators."""

from relay.support.missing_member import MissingMember

_OWN = "an operator is a class of its own: docs/how-to/add-an-operator.md"


class RegistrationNames:
    """Members of TVM's operators by which programs register properties of operators."""

    __slots__ = ()
    add_argument = MissingMember(_OWN)
    add_type_rel = MissingMember(_OWN)
    describe = MissingMember(_OWN)
    reset_attr = MissingMember(_OWN)
    set_attr = MissingMember(_OWN)
    set_attrs_type_key = MissingMember(_OWN)
    set_num_inputs = MissingMember(_OWN)
    set_support_level = MissingMember(_OWN)
    support_level = MissingMember("relay ops lists all operators, with their documentation")

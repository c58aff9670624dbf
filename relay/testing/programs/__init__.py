"""Random well-typed programs with inputs, and laws that hold for every program."""

from relay.testing.programs.choices import Choices as Choices
from relay.testing.programs.choices import RandomChoices as RandomChoices
from relay.testing.programs.program import Program as Program
from relay.testing.programs.program import random_program as random_program

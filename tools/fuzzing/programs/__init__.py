"""Random well-typed programs with inputs, and laws that hold for every program."""

from tools.fuzzing.programs.choices import Choices as Choices
from tools.fuzzing.programs.choices import RandomChoices as RandomChoices
from tools.fuzzing.programs.program import Program as Program
from tools.fuzzing.programs.program import random_program as random_program

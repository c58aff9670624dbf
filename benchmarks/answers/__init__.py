"""Questions with known answers for pretrained models, which any engine can run.

Every judge takes a function `Run` for each of its models and returns a `Verdict`; it does not
depend on the engine that runs the models.
"""

from benchmarks.answers.question import Question, Run, Verdict
from benchmarks.answers.table import QUESTIONS

__all__ = ["QUESTIONS", "Question", "Run", "Verdict"]

"""Questions with known right answers for the pretrained models, put to any engine.

Every judge takes a `Run` for each of its models and returns a `Verdict`; it knows nothing of
the engine behind them.
"""

from benchmarks.answers.question import Question, Run, Verdict
from benchmarks.answers.table import QUESTIONS

__all__ = ["QUESTIONS", "Question", "Run", "Verdict"]

"""Foundations that do not depend on programs: data declarations, errors, spans, dtypes."""

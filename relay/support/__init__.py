"""Foundations without opinions about programs: how data is declared, errors, spans, dtypes."""

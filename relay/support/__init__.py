"""Foundations without opinions about programs: data declarations, errors, spans, dtypes, documents."""

"""Programs as text: lexer, parser and printer of the classic format."""

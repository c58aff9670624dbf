"""Programs as text: the lexer, parser, printer and formatter of the text format of TVM's Relay."""

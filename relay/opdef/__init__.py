"""What an operator may say of itself: the vocabulary of its rules, and the table of operators."""

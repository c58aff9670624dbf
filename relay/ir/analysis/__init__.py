"""Facts about programs that many passes need, each computed in one place."""

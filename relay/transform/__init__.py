"""Program transformations: one pass per file, each a value whose fields are its options."""

from relay.transform.context import PassContext as PassContext

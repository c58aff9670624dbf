"""The operators by family: one class in one place says everything about each (`relay.opdef`)."""

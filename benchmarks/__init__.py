"""Programs that measure Relay beside its peers; every speed claim is a row that one of them printed."""

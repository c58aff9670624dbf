"""Programs that measure Relay beside its peers; a speed claim is a row that one of them printed."""

"""Networks compiled for machines that are not here, and run under emulators."""

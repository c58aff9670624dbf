"""Networks compiled for other machines and run under emulators."""

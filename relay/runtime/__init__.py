"""Running compiled programs: arrays, threads, loading, artefacts; knows nothing of the compiler."""

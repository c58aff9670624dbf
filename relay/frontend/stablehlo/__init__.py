"""Import StableHLO, the format of exported JAX functions; entry point: `relay.frontend.jax`."""

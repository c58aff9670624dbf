"""Import StableHLO, the language of exported JAX functions; the entry is `relay.frontend.jax`."""

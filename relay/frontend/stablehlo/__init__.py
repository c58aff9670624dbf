"""StableHLO, the language of exported JAX functions; the door is `relay.frontend.jax`."""

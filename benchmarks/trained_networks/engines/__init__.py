"""The engines that train the networks; each call of a binding is one step with Adam."""

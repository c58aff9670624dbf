"""The child-sum TreeLSTM of Tai et al. (2015) over the dependency trees of real sentences."""

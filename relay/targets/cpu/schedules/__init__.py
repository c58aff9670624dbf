"""How a CPU runs operators: rules with an analytical model of the machine, by what is computed."""

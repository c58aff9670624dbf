"""How a CPU runs operators: rules by operator class, each with an analytical model of the machine."""

from relay.targets.cpu.schedules.table import schedule as schedule

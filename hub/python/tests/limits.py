"""Time limits."""

# Limit for hanging tests, which may run at low priority [s].
HANG_S = 900
# Limit for the reaction to Ctrl-C of a computation that takes minutes, on a busy machine [s].
INTERRUPT_S = 120

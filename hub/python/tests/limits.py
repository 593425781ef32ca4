"""Limits of waits."""

# What takes longer hangs. Tests of the module have only the idle time of the processors [s].
HANG_S = 900

"""Limits of waits."""

# What takes longer hangs. Tests of the module have only the idle time of the processors [s].
HANG_S = 900
# Ctrl-C ends what would take minutes; the processors may have other things to do first [s].
INTERRUPT_S = 120

"""Stops a single thread of a process until the process ends: hold_thread.py NAME PARENT FILE.

The process is the descendant of process PARENT, a container, that has a thread NAME. FILE is created once the thread is
stopped."""
import ctypes
import os
import sys

PTRACE_SEIZE, PTRACE_INTERRUPT, WALL = 0x4206, 0x4207, 0x40000000
name, container, ready = sys.argv[1], int(sys.argv[2]), sys.argv[3]
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def parent(process):
    with open(f"/proc/{process}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("PPid:"))


def is_inside(process):
    while process > 1:
        if process == container:
            return True
        process = parent(process)
    return False


def threads():
    for process in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            for thread in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{thread}/comm") as comm:
                    if comm.read().strip() == name and is_inside(process):
                        yield int(thread)
        except OSError:
            continue


found = list(threads())
if len(found) != 1:
    sys.exit(f"hold_thread: {len(found)} threads are called {name}")
for request in PTRACE_SEIZE, PTRACE_INTERRUPT:
    if libc.ptrace(request, found[0], None, None) != 0:
        sys.exit(f"hold_thread: {os.strerror(ctypes.get_errno())}")
os.waitpid(found[0], WALL)
open(ready, "w").close()
# The thread is held while this script lives; the process ends by a signal that another of its threads handles.
while True:
    _, status = os.waitpid(found[0], WALL)
    if os.WIFEXITED(status) or os.WIFSIGNALED(status):
        break

"""Stops one thread of a process, and no other of its threads, until the process dies: hold_thread.py NAME ROOT.

Writes root/control-stopped below ROOT once it stands.

The process is the one below ROOT, a container's root folder, that has a thread of that name."""
import ctypes
import os
import sys

PTRACE_SEIZE, PTRACE_INTERRUPT, WALL = 0x4206, 0x4207, 0x40000000
name, root = sys.argv[1], os.path.realpath(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def threads():
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.path.realpath(os.readlink(f"/proc/{process}/root")) != root:
                continue
            for thread in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{thread}/comm") as comm:
                    if comm.read().strip() == name:
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
open(os.path.join(root, "root/control-stopped"), "w").close()
# The thread is held as long as this lives; the process ends by a signal that another of its threads takes.
while True:
    _, status = os.waitpid(found[0], WALL)
    if os.WIFEXITED(status) or os.WIFSIGNALED(status):
        break

"""interrupt.py SIGNAL FILE COMMAND...: runs the command until FILE is there, which holds the number of a process that works for it; sends the
command the signal; says how it ended, and whether that process still runs."""
import signal
import subprocess
import sys
import time
from pathlib import Path

wanted, marker = signal.Signals[sys.argv[1]], Path(sys.argv[2])
# Who runs tests may ignore what a terminal sends, and its children would.
heed = None if wanted == signal.SIGKILL else lambda: signal.signal(wanted, signal.SIG_DFL)
command = subprocess.Popen(sys.argv[3:], preexec_fn=heed)
while not marker.exists():
    if command.poll() is not None:
        sys.exit(f"ended by itself: {command.returncode}")
    time.sleep(0.01)
worker = Path("/proc", marker.read_text().strip(), "stat")
marker.unlink()
command.send_signal(wanted)
code = command.wait(timeout=60)
print("ended by", signal.Signals(-code).name if code < 0 else code)
try:
    state = worker.read_text().rsplit(")", 1)[1].split()[0]
except FileNotFoundError:
    state = "none"
print("its worker", "has ended" if state in ("none", "Z", "X") else "still runs")

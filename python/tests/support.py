"""What several tests use. LASTHOP names the command; LASTHOP_FULL=1 runs all examples instead of some."""

import os
import signal
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = os.environ["LASTHOP"]
FULL = os.environ.get("LASTHOP_FULL") == "1"
REFINED = ROOT / "examples" / "goel-refined.toml"

# A shell makes programs in its background ignore the signal, and all processes of the tests would inherit this.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def command(*arguments: str, cwd: Path = ROOT) -> str:
    """Standard output of the command, which must succeed."""
    done = subprocess.run([COMMAND, "-q", *arguments], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def examples(every: int) -> list[str]:
    """All examples if LASTHOP_FULL=1, otherwise one of `every`, by their paths from the root."""
    files = sorted((ROOT / "examples").glob("*.toml"))
    return [os.fspath(file.relative_to(ROOT)) for file in (files if FULL else files[::every])]

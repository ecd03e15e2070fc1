"""A laboratory for TCP over wireless paths.

>>> import lasthop as lh
>>> run = lh.Scenario.load("examples/goel-refined.toml").run()
>>> run.flows[0]["name"], run.flows[0]["completed"]
('download', True)
"""

from . import _lasthop
from ._agent import Agent
from ._compare import compare
from ._control import Control
from ._errors import FailedRun, LasthopError, Problem, ScenarioWarning
from ._lasthop import Acked, Congestion, Delivered, Failed, Feedback, Link, Node, Packet, Start
from ._members import check_member
from ._papers import Reproduction, papers, reproduce
from ._picture import Picture, Pictures
from ._scenario import Comparison, Run, Scenario
from ._store import Store
from ._sweep import SweepResult
from ._table import Table

__version__, MODEL_VERSION = _lasthop.versions()


def __getattr__(name: str) -> object:
    """The module ``rl`` is imported when it is used: it needs NumPy."""
    if name == "rl":
        from importlib import import_module

        return import_module("lasthop.rl")
    raise AttributeError(f"module 'lasthop' has no attribute {name!r}")


__all__ = [
    "MODEL_VERSION",
    "Acked",
    "Agent",
    "Comparison",
    "Congestion",
    "Control",
    "Delivered",
    "Failed",
    "FailedRun",
    "Feedback",
    "LasthopError",
    "Link",
    "Node",
    "Packet",
    "Picture",
    "Pictures",
    "Problem",
    "Reproduction",
    "Run",
    "Scenario",
    "ScenarioWarning",
    "Start",
    "Store",
    "SweepResult",
    "Table",
    "__version__",
    "check_member",
    "compare",
    "papers",
    "reproduce",
]

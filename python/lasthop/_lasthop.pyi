"""
The native module.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ._inputs import Class, Look, Spec
from _typeshed import SupportsGetItem
from os import PathLike
from pathlib import Path
from typing import SupportsFloat, SupportsIndex, final

__all__ = ["Acked", "Congestion", "Delivered", "Environments", "Failed", "Feedback", "Link", "Node", "Packet", "Policy", "Session", "Start", "Store", "Table", "check", "check_member", "compared", "explained", "features", "main", "paper_names", "pictures", "reproduced", "run", "run_batch", "schema", "toml", "topology", "trace_table", "versions"]

@final
class Acked:
    """
    New data was acknowledged.
    """
    @property
    def bytes(self, /) -> int: ...
    @property
    def now(self, /) -> float: ...
    @property
    def nxt(self, /) -> int: ...
    @property
    def rtt(self, /) -> float | None: ...
    @property
    def srtt(self, /) -> float: ...
    @property
    def una(self, /) -> int: ...

@final
class Congestion:
    """
    A reason to change the window.
    """
    @property
    def again(self, /) -> bool: ...
    @property
    def flight(self, /) -> float: ...
    @property
    def kind(self, /) -> str: ...
    @property
    def now(self, /) -> float: ...
    @property
    def nth(self, /) -> int: ...
    @property
    def window(self, /) -> float: ...

@final
class Delivered:
    """
    A packet whose acknowledgment has reached the link layer of the node.
    """
    @property
    def attempts(self, /) -> int:
        """
        Number of attempts, with the successful one.
        """
    @property
    def packet(self, /) -> Packet: ...
    @property
    def queued(self, /) -> float:
        """
        Time at which the packet joined the queue, in seconds.
        """

@final
class Environments:
    """
    Environments with the same scenarios.
    """
    def __new__(cls, /, specs: "Sequence[Spec]", flow_names: SupportsGetItem[int, str], setup: str, period: str | None, count: SupportsIndex, threads: SupportsIndex) -> Environments:
        """
        Creates `count` environments without episodes. `setup` is TOML, and `flow_names` are the names of the driven
        flows.
        """
    def observations(self, /) -> bytes:
        """
        The features of all environments, by environment, flow and feature.
        """
    def play(self, /, drivers: SupportsGetItem[int, Policy | str], episodes: SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex, SupportsIndex]]) -> "list[list[dict[str, Any]]]":
        """
        Runs whole episodes by policies or controls, without stops. Each episode has the numbers of its driver and
        scenario, and its seed. A control is a built-in one or a class of the scenario.
        """
    def reset(self, /, begun: SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex, SupportsIndex]]) -> None:
        """
        Begins episodes: for each episode the environment, the number of the scenario, and the seed. After an exception
        these environments have no episode.
        """
    def stats(self, /, slot: SupportsIndex, complete: bool) -> "list[dict[str, Any]]":
        """
        Returns the measurements of an environment so far. With `complete` these include the ones that are slow to
        calculate.
        """
    def step(self, /, actions: bytes, live: bytes) -> tuple[bytes, bytes]:
        """
        Takes the actions of all environments, and runs those with `live` to the end of the next step. Returns rewards,
        and for each environment 0 while it runs, 1 if its flows are completed, 2 if the duration has passed. After an
        exception no environment with `live` has an episode, because some were interrupted and some are a step ahead.
        """

@final
class Failed:
    """
    A failed attempt of the link layer.
    """
    @property
    def attempt(self, /) -> int:
        """
        Number of the attempt, from 1.
        """
    @property
    def last(self, /) -> bool:
        """
        The packet is given up.
        """
    @property
    def packet(self, /) -> Packet: ...

@final
class Feedback:
    """
    An acknowledgment in any state.
    """
    @property
    def acked(self, /) -> int: ...
    @property
    def delivered(self, /) -> int: ...
    @property
    def ecn_echo(self, /) -> bool: ...
    @property
    def flight(self, /) -> float: ...
    @property
    def lost(self, /) -> int: ...
    @property
    def now(self, /) -> float: ...
    @property
    def nxt(self, /) -> int: ...
    @property
    def rate(self, /) -> float | None: ...
    @property
    def recovering(self, /) -> bool: ...
    @property
    def rtt(self, /) -> float | None: ...
    @property
    def srtt(self, /) -> float: ...
    @property
    def una(self, /) -> int: ...

@final
class Link:
    """
    State of a link's sending side, as shown to an agent.
    """
    @property
    def busy(self, /) -> float:
        """
        Seconds of transmission on the link so far.
        """
    @property
    def limit_bytes(self, /) -> int | None:
        """
        Limit of the queue in bytes, if limited in bytes.
        """
    @property
    def limit_packets(self, /) -> int | None:
        """
        Limit of the queue in packets, if limited in packets.
        """
    @property
    def outstanding(self, /) -> int:
        """
        Packets in transmission, or not yet acknowledged by the link layer.
        """
    @property
    def rate_bps(self, /) -> float:
        """
        Bits per second.
        """
    @property
    def waiting(self, /) -> int:
        """
        Number of packets whose transmission has not begun.
        """
    @property
    def waiting_bytes(self, /) -> int:
        """
        Their bytes.
        """

@final
class Node:
    """
    The node of an agent. Packets and events added during a call are sent in their order after the call.
    """
    def emit(self, /, name: str, value: SupportsFloat | SupportsIndex = 1.0, packet: Packet | None = None) -> None:
        """
        Adds an event to the traces: its name, a value, and the packet concerned.
        """
    @property
    def now(self, /) -> float:
        """
        Time of the call in seconds.
        """
    @property
    def number(self, /) -> int:
        """
        Number of the node, by its place in the scenario, from 0.
        """
    def report(self, /, kind: str, packet: Packet) -> None:
        """
        Sends an ICMP message about a data segment to its sender: "defer" if a local attempt has failed, or "retransmit"
        if the segment is lost. Other packets have no messages.
        """
    def send(self, /, packet: Packet, *, expedited: bool = False) -> None:
        """
        Sends a packet, after the packet of the call if that is forwarded. `expedited`: ahead of all packets that wait.
        """

@final
class Packet:
    """
    A packet that crosses a node, or that an agent sends.
    """
    def __eq__(self, other: object, /) -> bool: ...
    def __repr__(self, /) -> str: ...
    @property
    def ack(self, /) -> int:
        """
        The next byte expected, modulo 2^32. TCP only.
        """
    @ack.setter
    def ack(self, /, ack: SupportsIndex) -> None: ...
    @property
    def acknowledges(self, /) -> bool:
        """
        Whether the acknowledgment number is valid.
        """
    def acknowledgment(self, /, ack: SupportsIndex, window: SupportsIndex) -> Packet:
        """
        A pure acknowledgment from this segment's destination to its source, of all bytes before `ack`.
        """
    def copy(self, /) -> Packet:
        """
        A copy, which may be sent and changed.
        """
    @property
    def destination(self, /) -> int:
        """
        Number of the destination node.
        """
    @property
    def destination_port(self, /) -> int:
        """
        Destination port.
        """
    @property
    def ecn(self, /) -> str:
        """
        ECN field of the IP header: not-ect, ect0, ect1 or ce.
        """
    @ecn.setter
    def ecn(self, /, name: str) -> None: ...
    @property
    def ecn_echo(self, /) -> bool:
        """
        ECN-Echo: the receiver got a mark [RFC3168 s6.1].
        """
    @ecn_echo.setter
    def ecn_echo(self, /, value: bool) -> None: ...
    @property
    def eln(self, /) -> bool:
        """
        Explicit loss notification: the segment at `ack` was lost on the radio link.
        """
    @eln.setter
    def eln(self, /, value: bool) -> None: ...
    @property
    def fin(self, /) -> bool:
        """
        FIN: the sender will send no more data.
        """
    @property
    def length(self, /) -> int:
        """
        Bytes of payload.
        """
    @property
    def protocol(self, /) -> str:
        """
        tcp, udp, echo-request, echo-reply, other, icmp-defer or icmp-retransmit.
        """
    @property
    def rst(self, /) -> bool:
        """
        RST: aborts a connection.
        """
    @property
    def sack(self, /) -> list[tuple[int, int]]:
        """
        SACK blocks, each as first byte and byte after the last.
        """
    @property
    def seq(self, /) -> int:
        """
        Sequence number of the first byte, modulo 2^32. TCP only.
        """
    @property
    def size(self, /) -> int:
        """
        Bytes with all headers except the link layer's.
        """
    @property
    def source(self, /) -> int:
        """
        Number of the source node, by its place in the scenario, from 0.
        """
    @property
    def source_port(self, /) -> int:
        """
        Source port. With both nodes and both ports it identifies a flow.
        """
    @property
    def syn(self, /) -> bool:
        """
        SYN: begins a connection.
        """
    @property
    def window(self, /) -> int:
        """
        Receive window in bytes, after scaling. TCP only.
        """
    @window.setter
    def window(self, /, bytes: SupportsIndex) -> None: ...

@final
class Policy:
    """
    A network that is ready to compute actions.
    """
    def __new__(cls, /, rules: str, layers: SupportsGetItem[int, tuple[SupportsGetItem[int, SupportsGetItem[int, SupportsFloat | SupportsIndex]], SupportsGetItem[int, SupportsFloat | SupportsIndex]]]) -> Policy:
        """
        A policy with these rules, as TOML, and these layers: weights and bias.
        """
    def act(self, /, features: SupportsGetItem[int, SupportsFloat | SupportsIndex]) -> float:
        """
        The action for these features.
        """
    def json(self, /) -> str:
        """
        Rules and layers of the policy, as in its file, but in JSON.
        """
    @staticmethod
    def read(text: str) -> Policy:
        """
        The policy in the text of a file.
        """

@final
class Session:
    """
    A sweep with its store.
    """
    def __new__(cls, /, spec: "Spec", path: str | PathLike[str], progress: "Callable[[int, int], object] | None") -> Session:
        """
        Begins or continues the sweep of a scenario in the store at `path`. `progress` is called, here and in `run`, with
        the number of runs done and the number wanted; it must not call the session.
        """
    def batch(self, /, runs: SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex, SupportsIndex]]) -> str:
        """
        Encodes these runs as text for [`run_batch`].
        """
    def describe(self, /, run: tuple[SupportsIndex, SupportsIndex, SupportsIndex]) -> str:
        """
        The changes of a run's point, its case, and its replication, in words.
        """
    def files(self, /) -> dict[Path, bytes]:
        """
        Files named by the scenario, which [`run_batch`] needs in addition to a batch.
        """
    def keep(self, /, runs: SupportsGetItem[int, tuple[tuple[SupportsIndex, SupportsIndex, SupportsIndex], str]]) -> None:
        """
        Stores the summaries of finished runs, either all or none.
        """
    def next_round(self, /) -> bool:
        """
        Begins the next round after the current one. Returns false if the sweep is complete.
        """
    def progress(self, /) -> tuple[int, int]:
        """
        Numbers of finished runs, and of all runs as far as known.
        """
    def result(self, /) -> tuple[str, int, int, int]:
        """
        The JSON of `lasthop sweep --json`, the numbers of new and of all runs, and the sweep's number in the store.
        """
    def run(self, /, jobs: SupportsIndex, progress: "Callable[[int, int], object] | None") -> None:
        """
        Executes all missing runs on threads.
        """
    def take(self, /, most: SupportsIndex) -> list[tuple[int, int, int]]:
        """
        Returns up to `most` missing runs of this round that no earlier call returned.
        """
    def warnings(self, /) -> "list[dict[str, Any]]":
        """
        The warnings of the scenario.
        """

@final
class Start:
    """
    Initial values of a control, in bytes.
    """
    @property
    def cwnd(self, /) -> float: ...
    @property
    def segment(self, /) -> float: ...
    @property
    def ssthresh(self, /) -> float: ...

@final
class Store:
    """
    A file with the results of sweeps.
    """
    def __new__(cls, /, path: str | PathLike[str], sweep: SupportsIndex | None = None) -> Store:
        """
        Opens a store that the command or a sweep has written, for all sweeps or for one.
        """
    def export(self, /, dir: str | PathLike[str], formats: SupportsGetItem[int, str], metrics: SupportsGetItem[int, str]) -> list[Path]:
        """
        Writes files of these formats into a directory; returns their paths.
        """
    def names(self, /) -> list[tuple[int, str]]:
        """
        The names and identities of the sweeps, the oldest first.
        """
    def report(self, /, name: str, metrics: SupportsGetItem[int, str]) -> str:
        """
        The report as HTML.
        """
    def summaries(self, /) -> str:
        """
        The sweeps as JSON, as `lasthop sweep --json` prints one.
        """
    def tables(self, /) -> list[Table]:
        """
        All tables.
        """

@final
class Table:
    """
    A table of a store, or of a trace.
    """
    def __arrow_c_stream__(self, /, requested_schema: "object" = None) -> "object":
        """
        The Arrow PyCapsule interface: one record batch, whose memory is shared.
        """
    def __len__(self, /) -> int: ...
    def column(self, /, name: str) -> "list[Any] | None":
        """
        The values of a column; `None` if there is no such column.
        """
    @property
    def fields(self, /) -> list[tuple[str, str, str]]:
        """
        Name, unit and definition of each column.
        """
    @property
    def name(self, /) -> str:
        """
        The name of the table.
        """
    def numbers(self, /, name: str) -> tuple[bytes, bool] | None:
        """
        The numbers of a column as bytes of 64-bit numbers, NaN for missing values, and whether the numbers are
        integers; `None` if there is no such column of numbers.
        """

def check(spec: "Spec") -> "list[dict[str, Any]]":
    """
    The warnings of a scenario, as dictionaries. Errors are raised.
    """

def check_member(checked: "Class", settings: str, seeds: SupportsIndex) -> None:
    """
    Checks a class with settings, which are a JSON object, against the contracts of its registry, with inputs drawn from
    each seed from 1 to `seeds`. Signals are checked only after each seed.
    """

def compared(spec: "Spec | None", path_names: SupportsGetItem[int, str], schemes: SupportsGetItem[int, str], changes: SupportsGetItem[int, str], replications: SupportsIndex, store: str | PathLike[str], jobs: SupportsIndex, progress: "Callable[[int, int], object] | None") -> tuple[str, list[str], int, int]:
    """
    Compares schemes on the network of a scenario, or on built-in paths; by default the scenario's schemes, or all.
    """

def explained(spec: "Spec", flow: str | None, top: SupportsIndex, progress: "Callable[[float], object] | None") -> str:
    """
    Explains the flows of a run: the JSON of `lasthop explain --json`.
    """

def features() -> list[tuple[str, float, float]]:
    """
    The names of all features with their ranges.
    """

def main(arguments: SupportsGetItem[int, str]) -> int:
    """
    Runs the command with these arguments, the first of which is the name of the command. Returns the exit code.
    """

def paper_names() -> list[tuple[str, str]]:
    """
    The papers: name and reference.
    """

def pictures(spec: "Spec", look: "Look", schemes: SupportsGetItem[int, str], progress: "Callable[[float], object] | None") -> list[tuple[str, str, bytes]]:
    """
    Draws a run, or a run with each of several schemes, as `lasthop plot`: name, SVG and PNG of each picture.
    """

def reproduced(name: str, replications: SupportsIndex | None, store: str | PathLike[str], jobs: SupportsIndex, progress: "Callable[[int, int], object] | None") -> tuple[str, str, str, str, int]:
    """
    Reproduces a paper, by default with the paper's number of replications.
    """

def run(spec: "Spec", traces: SupportsGetItem[int, str], delays: bool, progress: "Callable[[float], object] | None") -> tuple[str, dict[str, bytes]]:
    """
    Runs a scenario in memory. `traces` are names from `lasthop list traces`; `progress` is called with the share done.
    """

def run_batch(batch: str, path: str | PathLike[str], files: "dict[Path, bytes]", classes: "Sequence[Class]") -> list[tuple[str | None, str | None]]:
    """
    Executes the runs of a batch, in any process with the same version of the package. The outcome of each run is its
    summary, or the reason of its failure.
    """

def schema() -> str:
    """
    The JSON Schema of scenarios.
    """

def toml(spec: "Spec") -> str:
    """
    The scenario as TOML with all changes, from which every run can be repeated.
    """

def topology(spec: "Spec", look: "Look") -> tuple[str, str, bytes]:
    """
    Draws the network of a scenario.
    """

def trace_table(file: str, bytes: bytes) -> Table | None:
    """
    Returns a trace as a table, from the name and contents of its file; `None` if the trace is not a table.
    """

def versions() -> tuple[str, int]:
    """
    The version of the package, and the version of the model.
    """

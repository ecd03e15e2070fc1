"""Base stations' schemes written in Python."""

import json
import os
import pickle
import tempfile
import unittest
import warnings
from concurrent.futures import ProcessPoolExecutor
from typing import Any, cast

import lasthop as lh
from support import ROOT

EXAMPLE = "examples/goel-refined.toml"

# A wired and a wireless hop; the delay of acknowledgments on the wire is a setting.
TWO_HOPS = """
duration = "20 s"
nodes = { server = { kind = "host" }, station = { kind = "base-station" }, mobile = { kind = "host" } }
flows.f = { from = "server", to = "mobile", bytes = "500 kB" }
[links.wire]
kind = "wired"
between = ["server", "station"]
rate = "100 Mbps"
delay = { forward = "10 ms", backward = "10 ms" }
[links.air]
kind = "wireless"
between = ["station", "mobile"]
rate = "4 Mbps"
delay = "5 ms"
"""


class Icmp(lh.Agent):
    """The messages of the scheme refined-icmp [goel1997 5.5]."""

    name = "python-icmp"
    version = "1"
    needs_link_reports = True
    sender = "refined-icmp"
    changes = ("sender", "base station")
    uploads = ("sender",)

    def on_failed(self, failed: lh.Failed, node: lh.Node) -> None:
        if failed.attempt == 1:
            node.report("defer", failed.packet)
        if failed.last:
            node.report("retransmit", failed.packet)


class SlowAcks(lh.Agent):
    """Holds each acknowledgment for a time."""

    name = "slow-acks"
    version = "1"

    def __init__(self, delay: float = 0.01) -> None:
        super().__init__()
        self.delay = delay
        self.held: list[tuple[float, lh.Packet]] = []
        self.counters = {"acks_held": 0}

    def after_air(self, packet: lh.Packet, node: lh.Node) -> bool:
        if packet.protocol != "tcp":
            return True
        self.held.append((node.now + self.delay, packet))
        self.counters["acks_held"] += 1
        self.deadline = self.held[0][0]
        return False

    def on_wake(self, node: lh.Node) -> None:
        while self.held and self.held[0][0] <= node.now:
            node.send(self.held.pop(0)[1])
        self.deadline = self.held[0][0] if self.held else None


class Counts(lh.Agent):
    """Counts every call."""

    name = "counts"
    version = "1"
    needs_link_reports = True
    foresight = 0.0

    def __init__(self) -> None:
        super().__init__()
        names = ("before_air", "after_air", "on_link", "on_failed", "given_up", "on_delivered", "attempts", "went_bad")
        self.counters = dict.fromkeys(names, 0)

    def before_air(self, packet: lh.Packet, node: lh.Node) -> None:
        self.counters["before_air"] += 1

    def after_air(self, packet: lh.Packet, node: lh.Node) -> None:
        self.counters["after_air"] += 1

    def on_link(self, link: lh.Link, node: lh.Node) -> None:
        assert link.rate_bps > 0 and link.waiting_bytes >= 40 * link.waiting
        self.counters["on_link"] += 1

    def on_failed(self, failed: lh.Failed, node: lh.Node) -> None:
        self.counters["on_failed"] += 1
        self.counters["given_up"] += failed.last

    def on_delivered(self, delivered: lh.Delivered, node: lh.Node) -> None:
        assert delivered.queued < node.now
        self.counters["on_delivered"] += 1
        self.counters["attempts"] += delivered.attempts

    def on_forecast(self, good: bool, node: lh.Node) -> None:
        self.counters["went_bad"] += not good


class Marks(lh.Agent):
    """Marks packets while more than a number of packets wait [RFC3168 s5]."""

    name = "marks"
    version = "1"

    def __init__(self, most: int = 5) -> None:
        super().__init__()
        self.most, self.waiting = most, 0
        self.counters = {"marked": 0}

    def on_link(self, link: lh.Link, node: lh.Node) -> None:
        self.waiting = link.waiting

    def before_air(self, packet: lh.Packet, node: lh.Node) -> None:
        if self.waiting > self.most and packet.ecn in ("ect0", "ect1"):
            packet.ecn = "ce"
            self.counters["marked"] += 1
            node.emit("backlog", self.waiting, packet)


def variant(base: type[lh.Agent], **changes: Any) -> type[lh.Agent]:
    """A class that differs in these attributes."""
    return type("Variant", (base,), changes)


def at_station(agent: type[lh.Agent], text: str = TWO_HOPS, **settings: Any) -> lh.Scenario:
    scenario = lh.Scenario(text).with_members(agent)
    return scenario.set("nodes.station.scheme", {"kind": agent.name, **settings})


def counts(run: lh.Run) -> dict[str, int]:
    found: dict[str, int] = run.summary["nodes"][1]["scheme_counts"]
    return found


class Agents(unittest.TestCase):
    def setUp(self) -> None:
        warnings.simplefilter("ignore", lh.ScenarioWarning)
        self.addCleanup(warnings.resetwarnings)

    def test_messages_from_python_give_the_run_of_refined_icmp(self) -> None:
        scenario = lh.Scenario.load(EXAMPLE)
        for seed in range(1, 6):
            theirs = scenario.with_scheme("refined-icmp").run(seed=seed).summary
            ours = scenario.with_members(Icmp).with_scheme("python-icmp").run(seed=seed).summary
            self.assertGreater(theirs["flows"][0]["icmp_defer"], 0)
            self.assertEqual({**ours, "scheme": None}, {**theirs, "scheme": None})

    def test_held_acknowledgments_arrive_as_over_a_longer_wire(self) -> None:
        held = at_station(SlowAcks, delay=0.01).run()
        longer = lh.Scenario(TWO_HOPS).set("links.wire.delay.backward", "20 ms").run()
        self.assertEqual(counts(held)["acks_held"], longer.summary["links"][1]["backward"]["packets_delivered"])
        time = longer.flows[0]["completion_time_s"]
        self.assertGreater(time, lh.Scenario(TWO_HOPS).run().flows[0]["completion_time_s"])
        self.assertEqual(held.flows, longer.flows)

    def test_every_report_of_the_link_reaches_the_agent(self) -> None:
        run = lh.Scenario.load(EXAMPLE).with_members(Counts).set("nodes.station.scheme", "counts").run()
        seen, air = counts(run), run.summary["links"][1]
        forward = air["forward"]
        self.assertEqual(seen["before_air"], seen["on_link"])
        self.assertEqual(seen["before_air"], run.summary["links"][0]["forward"]["packets_delivered"])
        self.assertEqual(seen["after_air"], air["backward"]["packets_delivered"])
        self.assertEqual(seen["on_failed"] + seen["on_delivered"], forward["frames_sent"])
        self.assertEqual(seen["given_up"], forward["packets_given_up"])
        self.assertGreaterEqual(seen["attempts"], seen["on_delivered"])
        self.assertGreater(min(seen.values()), 0)

    def test_changed_packets_arrive_changed_and_events_are_traced(self) -> None:
        scenario = at_station(Marks, most=5).set("flows.f.tcp.ecn", "request")
        run = scenario.run(traces=["jsonl"])
        self.assertGreater(counts(run)["marked"], 0)
        self.assertGreater(run.flows[0]["reductions_by_ecn"], 0)
        events = [json.loads(line) for line in run.trace("jsonl").splitlines() if b'"backlog"' in line]
        self.assertEqual(len(events), counts(run)["marked"])
        self.assertTrue(all(event["value"] > 5 for event in events))

    def test_exceptions_and_wrong_answers_end_the_run(self) -> None:
        def raises(self: lh.Agent, packet: lh.Packet, node: lh.Node) -> bool:
            raise ZeroDivisionError("at the first packet")

        def late(self: lh.Agent, packet: lh.Packet, node: lh.Node) -> None:
            self.deadline = node.now - 0.001

        def again(self: lh.Agent, packet: lh.Packet, node: lh.Node) -> None:
            self.deadline = node.now

        def negative(self: lh.Agent, packet: lh.Packet, node: lh.Node) -> None:
            self.counters = {"x": -1}

        def nameless(self: lh.Agent, packet: lh.Packet, node: lh.Node) -> None:
            self.counters = cast(Any, {3: 1})

        def expedited(self: lh.Agent, packet: lh.Packet, node: lh.Node) -> None:
            node.send(packet, expedited=True)

        def window(self: lh.Agent, packet: lh.Packet, node: lh.Node) -> None:
            packet.window = -1

        def named(self: lh.Agent, packet: lh.Packet, node: lh.Node) -> None:
            node.emit("Not a name")

        wrong: list[tuple[Any, type[Exception], str]] = [
            (raises, ZeroDivisionError, "at the first packet"),
            (lambda self, packet, node: "yes", TypeError, "before_air: found .yes., expected True or None"),
            (late, ValueError, "deadline: found .* which is now, or later, or None"),
            (again, ValueError, "deadline: found .* after on_wake, expected a later time"),
            (negative, ValueError, "counters: x: found -1, expected a count"),
            (nameless, TypeError, "counters: found 3, expected a text as the name of a count"),
            (expedited, ValueError, "sends_expedited = True"),
            (window, OverflowError, ""),
            (named, ValueError, 'found "Not a name", expected a lower-case letter'),
        ]
        for method, kind, text in wrong:
            with self.subTest(text), self.assertRaisesRegex(kind, text):
                at_station(variant(lh.Agent, name="wrong", before_air=method)).run(traces=["jsonl"])

    def test_contracts_accept_correct_agents_and_name_broken_contracts(self) -> None:
        for agent in (Icmp, SlowAcks, Marks):
            lh.check_member(agent)

        def acknowledges(self: lh.Agent, packet: lh.Packet, node: lh.Node) -> None:
            if packet.protocol == "tcp" and packet.length:
                node.send(packet.acknowledgment((packet.seq + packet.length) % 2**32, 1000))

        forges = variant(lh.Agent, name="forges", before_air=acknowledges)
        with self.assertRaisesRegex(lh.LasthopError, 'scheme "forges" breaks the contract "[^"]*acknowledg'):
            lh.check_member(forges)
        lh.check_member(variant(forges, semantics="lost"))
        calls: list[int] = []

        def differs(self: lh.Agent, packet: lh.Packet, node: lh.Node) -> bool:
            calls.append(1)
            return len(calls) % 7 != 0

        with self.assertRaisesRegex(lh.LasthopError, "the same calls give the same results"):
            lh.check_member(variant(lh.Agent, name="differs", before_air=differs))
        with self.assertRaisesRegex(lh.LasthopError, "settings: Out of range float values"):
            lh.check_member(SlowAcks, settings={"delay": float("nan")})
        with self.assertRaisesRegex(lh.LasthopError, "unexpected keyword argument 'most'"):
            lh.check_member(SlowAcks, settings={"most": 3})
        with self.assertRaisesRegex(lh.LasthopError, "settings: found 3, expected a mapping"):
            lh.check_member(SlowAcks, settings=cast(Any, 3))

    def test_settings_of_a_checked_class_may_have_any_name(self) -> None:
        given: list[tuple[int, int]] = []

        class Named(lh.Agent):
            name = "named"

            def __init__(self, *, seeds: int, member: int) -> None:
                super().__init__()
                given.append((seeds, member))

        lh.check_member(Named, seeds=1, settings={"seeds": 5, "member": 6})
        self.assertEqual(set(given), {(5, 6)})

    def test_node_sends_only_during_a_call(self) -> None:
        kept: list[tuple[lh.Node, lh.Packet]] = []

        class Keeps(lh.Agent):
            name = "keeps"

            def before_air(self, packet: lh.Packet, node: lh.Node) -> None:
                kept.append((node, packet))

        at_station(Keeps).run()
        with self.assertRaisesRegex(RuntimeError, "during a call"):
            kept[0][0].send(kept[0][1])

    def test_wrong_properties_are_refused(self) -> None:
        wrong = {
            "semantics": ("both", 'semantics: found "both", expected kept or lost'),
            "changes": (("mobile",), 'changes: found "mobile", expected sender, base station or receiver'),
            "uploads": (3, "uploads: found 3, expected a list of sender, base station, receiver"),
            "sender": ("snoop", 'sender: found "snoop", expected None or one of unmodified'),
            "foresight": (-1.0, "foresight: found -1, expected 0 to"),
            "name": ("snoop", 'already a scheme called "snoop"'),
        }
        for key, (value, text) in wrong.items():
            with self.subTest(key), self.assertRaisesRegex(lh.LasthopError, text):
                at_station(variant(Counts, **{key: value})).check()
        with self.assertRaisesRegex(lh.LasthopError, "unexpected keyword argument 'most'"):
            at_station(Counts, most=3).check()

    def test_sweeps_by_threads_and_processes_are_equal(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            swept = [
                lh.Scenario.load(EXAMPLE).with_members(Icmp).sweep(
                    compare={"scheme": ["unmodified", "refined-icmp", "python-icmp"]}, replications=4,
                    store=f"{folder}/{number}.sqlite", executor=executor,
                )
                for number, executor in enumerate((None, ProcessPoolExecutor, None))
            ]
        self.assertEqual(swept[0].json, swept[1].json)
        self.assertEqual(swept[0].json, swept[2].json)

    def test_comparison_includes_classes_and_known_schemes(self) -> None:
        scenario = lh.Scenario.load(EXAMPLE).with_members(Icmp)
        compared = scenario.compare(schemes=["unmodified", "refined-icmp", "python-icmp"], replications=2)
        rows = {row["scheme"]: {**row, "scheme": None} for row in compared.rows()}
        self.assertEqual(rows["python-icmp"], rows["refined-icmp"])
        self.assertEqual(rows["python-icmp"]["changes"], ["sender", "base station"])
        with self.assertRaisesRegex(lh.LasthopError, "found no version"):
            scenario.with_members(variant(Icmp, name="draft", version=None)).compare(replications=2)

    def test_packets_can_be_copied_compared_and_changed(self) -> None:
        seen: list[lh.Packet] = []

        class Looks(lh.Agent):
            name = "looks"

            def before_air(self, packet: lh.Packet, node: lh.Node) -> None:
                other = packet.copy()
                assert other == packet
                if packet.length:
                    ack = packet.acknowledgment((packet.seq + packet.length) % 2**32, 1000)
                    assert (ack.source, ack.destination_port) == (packet.destination, packet.source_port)
                    assert (ack.length, ack.size, ack.acknowledges, ack.window) == (0, 40, True, 1000)
                    ack.eln = True
                    assert ack.eln and not ack.ecn_echo
                seen.append(other)

        at_station(Looks).run()
        data = [packet for packet in seen if packet.length]
        self.assertEqual(sum(packet.length for packet in data), 500_000)
        self.assertEqual({(packet.protocol, packet.source, packet.destination) for packet in seen}, {("tcp", 0, 2)})

    def test_scenarios_with_agents_can_be_pickled(self) -> None:
        ours = lh.Scenario.load(EXAMPLE).with_members(Icmp).with_scheme("python-icmp")
        self.assertEqual(pickle.loads(pickle.dumps(ours)).run().json, ours.run().json)


def load_tests(loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: str | None) -> unittest.TestSuite:
    """The examples are found from the project's root."""
    os.chdir(ROOT)
    return tests


if __name__ == "__main__":
    unittest.main()

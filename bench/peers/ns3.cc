// The peers' benchmark in ns-3:
//   ns3-peer p1 [SECONDS]
//   ns3-peer p2 FLOWS [SECONDS]
//   ns3-peer p3 STATIONS [SECONDS]
// Prints one line: the 1000-byte packets delivered, summed over flows.
//
// On the wire a packet is 1042 bytes here: ns-3's point-to-point link adds two
// bytes of PPP to the 40 of IP and TCP.
//
// The window of p2 is 10240 packets because ns-3.37 crashes (in
// TcpRateLinux::SkbSent, asked for data past the end of the send buffer) when
// the window is no multiple of the window scale. From 100 flows on it is 1024,
// still many times a flow's share of the pipe and its queue, to ns-3's
// advantage: BulkSend fills the send buffer whatever the congestion window,
// which at 1000 flows would be 2.8 GB of packets never sent, and the time of a
// packet grows with the window.

#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/mobility-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/traffic-control-module.h>
#include <ns3/wifi-module.h>

#include <cstdlib>
#include <iostream>
#include <string>

using namespace ns3;

namespace
{

const uint32_t SEGMENT = 1000;
const uint16_t PORT = 9;

// Reno with NewReno's recovery, which is what ns-3 has: no SACK, no delayed ACK,
// no limited transmit, one packet to begin with, RTO of 1 s or more, and buffers
// that allow `window` packets in flight.
void
ConfigureTcp(uint32_t window)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpNewReno"));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", StringValue("ns3::TcpClassicRecovery"));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(1)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(window * SEGMENT));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(window * SEGMENT));
}

// Joins two nodes by a drop-tail link on its own /24 and returns the second
// node's address. Queue discs are taken away: the device's queue is the queue.
Ipv4Address
Join(NodeContainer ends, const char* rate, const char* delay, const char* queue, const char* net)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue(rate));
    link.SetChannelAttribute("Delay", StringValue(delay));
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue(queue));
    NetDeviceContainer devices = link.Install(ends);

    Ipv4AddressHelper addresses(net, "255.255.255.0");
    Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    TrafficControlHelper().Uninstall(devices);
    return interfaces.GetAddress(1);
}

void
AddBulkFlow(Ptr<Node> from, Ipv4Address to, Time start)
{
    BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(to, PORT));
    bulk.SetAttribute("SendSize", UintegerValue(SEGMENT));
    bulk.Install(from).Start(start);
}

// Stations of one 802.11b cell that upload through an access point to a host
// behind a wire; returns the host.
Ptr<Node>
Cell(uint32_t stations)
{
    NodeContainer members(stations);
    NodeContainer wired(2); // the access point and the host behind it
    InternetStackHelper internet;
    internet.Install(members);
    internet.Install(wired);
    const Ipv4Address to = Join(wired, "100Mbps", "10ms", "1000p", "10.0.1.0");

    // ns-3 drops what has waited half a second; the others do not.
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(60)));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue("1000p"));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211b);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue("DsssRate11Mbps"),
                                 "ControlMode",
                                 StringValue("DsssRate2Mbps"));
    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    // Long preambles, as the others have.
    phy.Set("ShortPlcpPreambleSupported", BooleanValue(false));
    WifiMacHelper mac;
    mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(Ssid("cell")));
    NetDeviceContainer devices = wifi.Install(phy, mac, members);
    mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(Ssid("cell")));
    devices.Add(wifi.Install(phy, mac, wired.Get(0)));
    MobilityHelper mobility;
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(members);
    mobility.Install(wired.Get(0));

    Ipv4AddressHelper("10.0.2.0", "255.255.255.0").Assign(devices);
    TrafficControlHelper().Uninstall(devices);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    for (uint32_t i = 0; i < stations; i++)
    {
        AddBulkFlow(members.Get(i), to, Seconds(1) + MilliSeconds(10 * i));
    }
    return wired.Get(1);
}

[[noreturn]] void
Usage()
{
    std::cerr << "usage: ns3-peer p1 [SECONDS] | p2 FLOWS [SECONDS] | p3 STATIONS [SECONDS]\n";
    std::exit(2);
}

// The positive number in argument `at`, or `missing` where there is none.
double
Number(int argc, char** argv, int at, double missing)
{
    const double value = argc > at ? std::atof(argv[at]) : missing;
    if (!(value > 0))
    {
        Usage();
    }
    return value;
}

} // namespace

int
main(int argc, char** argv)
{
    const std::string workload = argc > 1 ? argv[1] : "";
    double seconds = 0;
    Ptr<Node> receiver;

    if (workload == "p1")
    {
        seconds = Number(argc, argv, 2, 1000);
        ConfigureTcp(128);
        NodeContainer nodes(3);
        InternetStackHelper().Install(nodes);
        const NodeContainer first(nodes.Get(0), nodes.Get(1));
        const NodeContainer second(nodes.Get(1), nodes.Get(2));
        Join(first, "8Mbps", "50ms", "1000p", "10.0.1.0");
        const Ipv4Address to = Join(second, "10Mbps", "1ms", "1000p", "10.0.2.0");
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        receiver = nodes.Get(2);
        AddBulkFlow(nodes.Get(0), to, Seconds(0));
    }
    else if (workload == "p2")
    {
        const auto flows = static_cast<uint32_t>(Number(argc, argv, 2, 0));
        seconds = Number(argc, argv, 3, 20);
        ConfigureTcp(flows < 100 ? 10240 : 1024);
        NodeContainer nodes(2);
        InternetStackHelper().Install(nodes);
        const Ipv4Address to = Join(nodes, "1Gbps", "10ms", "3000p", "10.0.1.0");
        receiver = nodes.Get(1);
        for (uint32_t i = 0; i < flows; i++)
        {
            AddBulkFlow(nodes.Get(0), to, MilliSeconds(i % 100));
        }
    }
    else if (workload == "p3")
    {
        const auto stations = static_cast<uint32_t>(Number(argc, argv, 2, 0));
        seconds = Number(argc, argv, 3, 60);
        ConfigureTcp(32);
        receiver = Cell(stations);
    }
    else
    {
        Usage();
    }

    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), PORT));
    auto application = sink.Install(receiver).Get(0)->GetObject<PacketSink>();

    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    std::cout << application->GetTotalRx() / SEGMENT << std::endl;
    Simulator::Destroy();
    return 0;
}

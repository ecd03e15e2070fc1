// Queue disciplines of ns-3 on a given sequence of arrivals and departures:
//   ns3-queues RUN TYPE [ATTRIBUTE=VALUE]... < EVENTS
// RUN selects the random numbers.
// An event is a line: TIME FLOW SIZE ECT for an arrival, TIME alone for the transmitter that takes a packet. TIME is in
// nanoseconds, SIZE in bytes, ECT 1 if the packet is ECN-capable. Packets are numbered from 0 in the order of arrival.
// Prints what became of them, in the order of events: TIME drop|mark|send NUMBER.

#include <ns3/core-module.h>
#include <ns3/network-module.h>
#include <ns3/traffic-control-module.h>

#include <iostream>
#include <sstream>
#include <string>

using namespace ns3;

namespace
{

class Item : public QueueDiscItem
{
  public:
    Item(uint32_t number, uint32_t flow, uint32_t size, bool capable)
        : QueueDiscItem(Create<Packet>(size), Address(), 0),
          m_number(number),
          m_flow(flow),
          m_capable(capable)
    {
    }

    void AddHeader() override
    {
    }

    bool Mark() override
    {
        return m_capable;
    }

    // Each flow its own queue of FQ-CoDel, whatever the perturbation.
    uint32_t Hash(uint32_t) const override
    {
        return m_flow;
    }

    uint32_t m_number;

  private:
    uint32_t m_flow;
    bool m_capable;
};

void
Report(const char* what, Ptr<const QueueDiscItem> item)
{
    std::cout << Simulator::Now().GetNanoSeconds() << ' ' << what << ' '
              << StaticCast<const Item>(item)->m_number << '\n';
}

void
Dropped(Ptr<const QueueDiscItem> item)
{
    Report("drop", item);
}

void
Marked(Ptr<const QueueDiscItem> item, const char*)
{
    Report("mark", item);
}

void
Arrive(Ptr<QueueDisc> queue, Ptr<Item> item)
{
    item->SetTimeStamp(Simulator::Now());
    queue->Enqueue(item);
}

// As a device does, an idle transmitter does not ask an empty queue again: RED would take that for the beginning of the
// idle time.
void
Depart(Ptr<QueueDisc> queue)
{
    static bool idle = false;
    if (idle && queue->GetNPackets() == 0)
    {
        return;
    }
    Ptr<QueueDiscItem> item = queue->Dequeue();
    idle = !item;
    if (item)
    {
        Report("send", item);
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    if (argc < 3)
    {
        std::cerr << "usage: ns3-queues RUN TYPE [ATTRIBUTE=VALUE]... < EVENTS\n";
        return 2;
    }
    RngSeedManager::SetRun(std::stoul(argv[1]));
    ObjectFactory factory(std::string("ns3::") + argv[2]);
    for (int i = 3; i < argc; ++i)
    {
        std::string setting = argv[i];
        auto split = setting.find('=');
        factory.Set(setting.substr(0, split), StringValue(setting.substr(split + 1)));
    }
    Ptr<QueueDisc> queue = factory.Create<QueueDisc>();
    // Without a device there is no MTU, which ns-3 takes as the quantum: it would be 0, and Dequeue would not return.
    if (Ptr<FqCoDelQueueDisc> fair = DynamicCast<FqCoDelQueueDisc>(queue))
    {
        fair->SetQuantum(1514);
    }
    queue->TraceConnectWithoutContext("Drop", MakeCallback(&Dropped));
    queue->TraceConnectWithoutContext("Mark", MakeCallback(&Marked));
    queue->Initialize();

    uint32_t number = 0;
    int64_t time = 0;
    for (std::string line; std::getline(std::cin, line);)
    {
        std::istringstream words(line);
        uint32_t flow;
        uint32_t size;
        bool capable;
        words >> time;
        if (words >> flow >> size >> capable)
        {
            auto item = Create<Item>(number++, flow, size, capable);
            Simulator::Schedule(NanoSeconds(time), &Arrive, queue, item);
        }
        else
        {
            Simulator::Schedule(NanoSeconds(time), &Depart, queue);
        }
    }
    Simulator::Stop(NanoSeconds(time + 1));
    Simulator::Run();
    Simulator::Destroy();
    return 0;
}

# A cell of 802.11b in ns-2, with a wire behind its base station: `source` this, then `cell NS STATIONS`.

# As the standard and lasthop have them, where ns-2 comes with others: 11 and 2 Mbps, no requests to send.
foreach {key value} {
    dataRate_ 11Mb basicRate_ 2Mb PLCPDataRate_ 1Mb PreambleLength_ 144
    CWMin_ 31 CWMax_ 1023 SlotTime_ 0.000020 SIFS_ 0.000010
    RTSThreshold_ 3000 ShortRetryLimit_ 7 LongRetryLimit_ 4
} {
    Mac/802_11 set $key $value
}

# Makes a server, a base station and stations, all within reach of all, and returns them in this order.
# What the stations' MACs do is written to `trace`, if it is given.
proc cell {ns stations {trace ""}} {
    # Without a file to trace to a wireless node does not start.
    $ns trace-all [open [expr {$trace eq "" ? "/dev/null" : $trace}] w]
    if {$trace ne ""} { $ns use-newtrace }
    $ns node-config -addressType hierarchical
    AddrParams set domain_num_ 2
    AddrParams set cluster_num_ {1 1}
    AddrParams set nodes_num_ [list 1 [expr {$stations + 1}]]
    set server [$ns node 0.0.0]
    set topography [new Topography]
    $topography load_flatgrid 100 100
    create-god [expr {$stations + 1}]
    $ns node-config -adhocRouting DSDV -llType LL -macType Mac/802_11 \
        -ifqType Queue/DropTail/PriQueue -ifqLen 1000 -antType Antenna/OmniAntenna \
        -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
        -channel [new Channel/WirelessChannel] -topoInstance $topography \
        -wiredRouting ON -agentTrace OFF -routerTrace OFF \
        -macTrace [expr {$trace eq "" ? "OFF" : "ON"}]
    set base [$ns node 1.0.0]
    $base random-motion 0
    $base set X_ 50.0
    $base set Y_ 50.0
    $base set Z_ 0.0
    $ns duplex-link $server $base 100Mb 10ms DropTail
    $ns queue-limit $server $base 1000
    $ns queue-limit $base $server 1000
    $ns node-config -wiredRouting OFF
    set nodes [list $server $base]
    for {set i 0} {$i < $stations} {incr i} {
        set station [$ns node 1.0.[expr {$i + 1}]]
        $station base-station [AddrParams addr2id [$base node-addr]]
        $station random-motion 0
        $station set X_ [expr {45.0 + $i % 10}]
        $station set Y_ 45.0
        $station set Z_ 0.0
        lappend nodes $station
    }
    return $nodes
}

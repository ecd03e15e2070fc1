# A cell of 802.11b whose stations all send or all receive: how many packets of 1000 bytes are delivered a second?
#   ns cell.tcl CASE STATIONS SEED STEP [TRACE]
# CASE:  up         TCP from the stations to a server behind the base station
#        down       TCP the other way
#        saturated  packets of 1023 bytes from the stations to the base station, without TCP: more than there is air for
# STEP:  each brings ns-2 closer to what ours does, and has those before it too; docs/models/agreement-ns2.md tells why.
#        plain      as the peers' benchmark
#        routes     transfers begin when there are routes, which stay, and the first 10 s of them are not counted
#        lengths    frames of data are as long as ours
#        windows    the back-off is drawn from 0 to CW, and not from 0 to CW - 1
#        receding   stations move away from the base station, by 0.3 m/s, so that it is not rounding that counts slots
#        approaching    the other way round, which is no step but shows what rounding does
# Prints one line, the packets a second. TRACE is a file for what the stations' MACs do.
#
# `cargo xtask ns2` makes the table beside this file with it.

foreach {case stations seed step trace} $argv break
set steps {plain routes lengths windows receding approaching}
set reached [lsearch $steps $step]
if {$case ni {up down saturated} || ![string is integer -strict $stations] || $reached < 0} {
    puts stderr "usage: ns cell.tcl up|down|saturated STATIONS SEED [join $steps |] \[TRACE\]"
    exit 2
}
proc past {step} {
    global steps reached
    return [expr {$reached >= [lsearch $steps $step]}]
}

set here [file dirname [info script]]
source [file join $here ../../../../bench/peers/cell.tcl]

# Plain Reno, as in the peers' benchmark.
Agent/TCP set windowInit_ 1
Agent/TCP set minrto_ 1
Agent/TCP set singledup_ 0
Agent/TCP set bugFix_ false
Agent/TCP set window_ 32

# Around a packet ns-2 has a header and a checksum of 34 bytes, ours 28 and 8 of LLC and SNAP; and its routing protocol gives
# every packet that begins in the cell a second IP header of 20.
set longer [expr {[past lengths] ? 2 : 0}]
set routed [expr {[past lengths] ? 2 - 20 : 0}]
Agent/TCP set packetSize_ [expr {1000 + ($case eq "up" ? $routed : $longer)}]
Agent/TCPSink set packetSize_ [expr {40 + ($case eq "up" ? $longer : $routed)}]

# A draw is `random % CW`, and the first window of the standard has 32 values.
if {[past windows]} { Mac/802_11 set CWMin_ 32 }

# DSDV tells of its routes when it begins, and then every 15 s. When the air is busy some hear the base station only from
# another station, and send their packets to that.
if {[past routes]} { Agent/DSDV set perup_ 1000 }
set begin [expr {[past routes] ? 20 : 0}]
set warm [expr {[past routes] ? 10 : 0}]
set span 60

ns-random $seed
set ns [new Simulator]
set nodes [cell $ns $stations $trace]
set server [lindex $nodes 0]
set base [lindex $nodes 1]

# How many packets are delivered, a command for each flow.
set counters {}

proc transfer {from to start} {
    global ns counters
    set sender [new Agent/TCP/Reno]
    set sink [new Agent/TCPSink]
    $ns attach-agent $from $sender
    $ns attach-agent $to $sink
    $ns connect $sender $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $sender
    $ns at $start "$ftp start"
    lappend counters "$sender set ack_"
}

proc stream {from to start} {
    global ns counters routed
    set sender [new Agent/UDP]
    set sink [new Agent/LossMonitor]
    $sender set packetSize_ 2000
    $ns attach-agent $from $sender
    $ns attach-agent $to $sink
    $ns connect $sender $sink
    set source [new Application/Traffic/CBR]
    $source set packetSize_ [expr {1023 + $routed}]
    # A frame of this length and its answer take longer.
    $source set interval_ 0.0012
    $source attach-agent $sender
    $ns at $start "$source start"
    lappend counters "$sink set npkts_"
}

for {set i 0} {$i < $stations} {incr i} {
    set station [lindex $nodes [expr {$i + 2}]]
    # 40 m in the 90 s of a run.
    if {$step eq "approaching"} {
        $station set Y_ 5.0
        $ns at 0.1 "$station setdest [$station set X_] 45 0.3"
    } elseif {[past receding]} {
        $ns at 0.1 "$station setdest [$station set X_] 5 0.3"
    }
    set start [expr {$begin + $i / 100.0}]
    switch $case {
        up { transfer $station $server $start }
        down { transfer $server $station $start }
        saturated { stream $station $base $start }
    }
}

# `ack_` is -1 until the SYN, packet 0, is acknowledged.
proc delivered {} {
    global counters
    set all 0
    foreach counter $counters { incr all [expr {max(0, [eval $counter])}] }
    return $all
}

set before 0
$ns at [expr {$begin + $warm}] { set before [delivered] }
$ns at [expr {$begin + $warm + $span}] {
    puts [format "%.4f" [expr {([delivered] - $before) / double($span)}]]
    $ns flush-trace
    exit 0
}
$ns run

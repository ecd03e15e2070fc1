# The peers' benchmark in ns-2: `ns ns2.tcl p1 [lean]`, `ns ns2.tcl p2 FLOWS
# [lean]` or `ns ns2.tcl p3 STATIONS [lean]`.
# Prints one line: the distinct data packets acknowledged, summed over flows.

# By default each packet carries the header of every protocol ns-2 knows, some
# kilobytes of it. `lean` as the last argument keeps only what TCP reads, which
# about halves the time. (Without `Flags` ns-2 does not complain: it reads
# another header's bytes as ECN marks and delivers nonsense.)
if {[lindex $argv end] eq "lean"} {
    remove-all-packet-headers
    add-packet-header IP TCP Flags
    # What a wireless network reads besides.
    if {[lindex $argv 0] eq "p3"} { add-packet-header LL Mac ARP RTP DSDV NV }
    set argv [lrange $argv 0 end-1]
}

proc usage {} {
    puts stderr {usage: ns ns2.tcl p1 [lean] | p2 FLOWS [lean] | p3 STATIONS [lean]}
    exit 2
}

# Plain Reno: no delayed ACK (TCPSink acknowledges every packet), no SACK, no
# limited transmit, a fast retransmit at every third duplicate ACK even within
# one window, 1000 + 40 bytes on the wire, one packet to begin with, RTO of 1 s
# or more.
Agent/TCP set packetSize_ 1000
Agent/TCP set windowInit_ 1
Agent/TCP set minrto_ 1
Agent/TCP set singledup_ 0
Agent/TCP set bugFix_ false
Agent/TCPSink set packetSize_ 40

proc bulk_flow {ns from to window start} {
    set sender [new Agent/TCP/Reno]
    set sink [new Agent/TCPSink]
    $sender set window_ $window
    $ns attach-agent $from $sender
    $ns attach-agent $to $sink
    $ns connect $sender $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $sender
    $ns at $start "$ftp start"
    return $sender
}

# Stations of one 802.11b cell upload through a base station to a host behind a
# wire.
proc uploads {ns stations} {
    global senders
    set nodes [cell $ns $stations]
    for {set i 0} {$i < $stations} {incr i} {
        set station [lindex $nodes [expr {$i + 2}]]
        lappend senders [bulk_flow $ns $station [lindex $nodes 0] 32 [expr {$i / 100.0}]]
    }
}

set ns [new Simulator]
set senders {}

switch -- [lindex $argv 0] {
    p1 {
        set duration 1000
        set a [$ns node]
        set r [$ns node]
        set b [$ns node]
        $ns duplex-link $a $r 8Mb 50ms DropTail
        $ns duplex-link $r $b 10Mb 1ms DropTail
        foreach {from to} [list $a $r $r $a $r $b $b $r] {
            $ns queue-limit $from $to 1000
        }
        lappend senders [bulk_flow $ns $a $b 128 0]
    }
    p2 {
        set flows [lindex $argv 1]
        if {![string is integer -strict $flows]} usage
        set duration 20
        set a [$ns node]
        set b [$ns node]
        $ns duplex-link $a $b 1Gb 10ms DropTail
        $ns queue-limit $a $b 3000
        $ns queue-limit $b $a 3000
        for {set i 0} {$i < $flows} {incr i} {
            lappend senders [bulk_flow $ns $a $b 10240 [expr {($i % 100) / 1000.0}]]
        }
    }
    p3 {
        set stations [lindex $argv 1]
        if {![string is integer -strict $stations]} usage
        set duration 60
        source [file join [file dirname [info script]] cell.tcl]
        uploads $ns $stations
    }
    default usage
}

# Packet 0 of an ns-2 sender is its SYN, so `ack_` is also the number of data
# packets acknowledged; it is -1 until the SYN is.
proc finish {} {
    global senders
    set delivered 0
    foreach sender $senders {
        set acked [$sender set ack_]
        if {$acked > 0} { incr delivered $acked }
    }
    puts $delivered
    exit 0
}

$ns at $duration finish
$ns run

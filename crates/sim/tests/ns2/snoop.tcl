# ns-2's Snoop on its LAN behind a wire of 10 Mbps: how many segments has the sender sent after 20 s, and how many again?
#   ns snoop.tcl SNOOP DELAY WINDOW FRAME ...      SNOOP: 1 or 0; frames lost on the path to the mobile, from 0
#
# `cargo xtask ns2 snoop` makes the table beside this file with it.

remove-all-packet-headers
add-packet-header Flags IP TCP Snoop LL Mac ARP

# What our sender does too, as in drops.tcl; a tick of 500 ms.
Agent/TCP set syn_ false
Agent/TCP set delay_growth_ false
Agent/TCP set useHeaders_ false
Agent/TCP set packetSize_ 1000
Agent/TCP set windowInit_ 1
Agent/TCP set singledup_ 0
Agent/TCP set minrto_ 1
Agent/TCP set tcpTick_ 0.5
Agent/TCPSink set packetSize_ 40
Queue set limit_ 50

lassign $argv snoop delay window
set lost [lrange $argv 3 end]
Agent/TCP set window_ $window

# Loses the frames that are told.
Class ErrorModel/Told -superclass ErrorModel/MultiState
ErrorModel/Told instproc init {} {
    eval $self next [list {} {} {} pkt pkt 0 0]
    $self instvar frame
    set frame -1
}
ErrorModel/Told instproc error-model args {}
ErrorModel/Told instproc sttype args { return pkt }
ErrorModel/Told instproc corrupt {} {
    global lost
    $self instvar frame
    incr frame
    expr {[lsearch $lost $frame] >= 0}
}

set ns [new Simulator]
set server [$ns node]
set station [$ns node]
set mobile [$ns node]
$ns duplex-link $server $station 10Mb $delay DropTail
$ns queue-limit $server $station 100000
set lan [$ns make-lan [list $mobile] 2Mb 1ms LL Queue/DropTail Mac Channel]
$lan addNode [list $station] 2Mb 1ms [expr {$snoop ? "LL/LLSnoop" : "LL"}] Queue/DropTail Mac

# The air ends between the mobile's MAC and its link layer.
set iface [$lan set lanIface_($mobile)]
set air [new ErrorModel/Told]
$air drop-target [new Agent/Null]
$air target [$iface set ll_]
[$iface set mac_] up-target $air

set sender [new Agent/TCP]
set sink [new Agent/TCPSink]
$ns attach-agent $server $sender
$ns attach-agent $mobile $sink
$ns connect $sender $sink
set ftp [new Application/FTP]
$ftp attach-agent $sender
$ns at 0 "$ftp start"
$ns at 20 { puts "[$sender set ndatapack_] [$sender set nrexmitpack_]"; exit 0 }
$ns run

# One transfer over one link on which chosen packets are lost, as in Fall and Floyd 1996: when is which segment sent?
#   ns drops.tcl AGENT DROP ...          AGENT: Tahoe Reno Newreno Sack1 Fack Vegas cubic; DROP: packets from 0
# Prints a line for each time at which something is sent: milliseconds, then the segments, `r` behind those sent before.
#
# `cargo xtask ns2` makes the tables beside this file with it.

remove-all-packet-headers
add-packet-header IP TCP Flags

# What our sender does too: no SYN, packets of 1000 bytes with everything in them, a first window of one, an
# acknowledgment for each packet, half the window in use as threshold, a timeout of one second at least.
Agent/TCP set syn_ false
Agent/TCP set delay_growth_ false
Agent/TCP set useHeaders_ false
Agent/TCP set packetSize_ 1000
Agent/TCP set windowInit_ 1
Agent/TCP set minrto_ 1
Agent/TCP set window_ 64
Agent/TCPSink set packetSize_ 40

set agent [lindex $argv 0]
set drops [lrange $argv 1 end]

set ns [new Simulator]
set a [$ns node]
set b [$ns node]
# 1000 bytes take 10 ms, an acknowledgment 0.4 ms.
$ns duplex-link $a $b 800kb 100ms DropTail
$ns queue-limit $a $b 1000

# Counts packets from 0, and loses those on its list after the wire has carried them.
set errors [new ErrorModel/List]
$errors droplist $drops
$errors drop-target [new Agent/Null]
$ns link-lossmodel $errors $a $b

# A third duplicate counts with Reno whatever was resent before, as in 4.3BSD; the others wait for all of that.
Agent/TCP set bugFix_ [expr {$agent ne "Reno"}]
# With SACK the first two duplicates let a new segment out each, as RFC 6675 has it.
Agent/TCP set singledup_ [expr {$agent in {Sack1 Fack cubic}}]

set base [expr {$agent eq "Tahoe" ? "" : $agent eq "cubic" ? "/Linux" : "/$agent"}]
set sender [new Agent/TCP$base]
set sink [new Agent/TCPSink[expr {$agent in {Sack1 Fack cubic} ? "/Sack1" : ""}]]
if {$agent eq "cubic"} { $ns at 0.0 "$sender select_ca cubic" }
$ns attach-agent $a $sender
$ns attach-agent $b $sink
$ns connect $sender $sink
set ftp [new Application/FTP]
$ftp attach-agent $sender
$ns at 0.0 "$ftp produce 60"

# `+` is a packet that joins the queue: what the sender sends, when it sends it.
set pipe [open "|awk {\$1 == \"+\" && \$3 == 0 {
    if (line == \"\" || \$2 != last) { if (line) print line; line = sprintf(\"%11.3f\", \$2 * 1000); last = \$2 }
    line = line \" \" \$11 (\$11 in seen ? \"r\" : \"\"); seen\[\$11\]
} END { print line }} >@stdout" w]
$ns trace-queue $a $b $pipe
$ns at 60.0 "$ns flush-trace; close $pipe; exit 0"
$ns run

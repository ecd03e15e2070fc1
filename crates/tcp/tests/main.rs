//! Tests of the TCP endpoints: one program, so that each crate under test is linked once.

mod blocked;
mod bottleneck;
mod common;
mod contracts;
mod contributing;
mod control_contracts;
mod control_timelines;
mod drops;
mod equilibria;
mod fuzz;
mod link_loss;
mod linux;
mod linux_receiver;
mod marks;
mod prediction;
mod queued_resends;
mod receive_offload;
mod recovery_exit;
mod requests;
mod scripts;
mod settings;
mod timelines;
mod timer_restart;
mod windows;
mod zero_window;

//! Commands whose arguments are defined when the command is used. Therefore the start of the program defines the
//! arguments of one command, not of all.

use std::ops::Deref;

use clap::builder::Resettable;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// Arguments of a command, which are defined when the command is used. [`Command::build`] defines the arguments of all
/// commands.
///
/// Boxed, because the arguments of commands have different sizes.
pub struct Deferred<A>(Box<A>);

impl<A> Deref for Deferred<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.0
    }
}

impl<A: Args> Args for Deferred<A> {
    fn augment_args(command: Command) -> Command {
        command.defer(define_arguments::<A>)
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(A::augment_args_for_update)
    }
}

impl<A: Args> FromArgMatches for Deferred<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        A::from_arg_matches(matches).map(|args| Deferred(Box::new(args)))
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        A::from_arg_matches_mut(matches).map(|args| Deferred(Box::new(args)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// Defines the arguments of a command. The description of the command remains.
fn define_arguments<A: Args>(command: Command) -> Command {
    let (about, long_about) = (command.get_about().cloned(), command.get_long_about().cloned());
    A::augment_args(command).about(Resettable::from(about)).long_about(Resettable::from(long_about))
}

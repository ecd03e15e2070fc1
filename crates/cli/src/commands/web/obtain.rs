//! The source of the page: this build, the cache, or a build of the checkout.

use std::env;
use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::bundle::Page;
use super::cache::{CacheState, PageCache, cache_folder, read_files};
use super::{builder, checkout, needs};
use crate::CommandFailure;
use crate::commands::format_path;
use crate::talk::write_note;

/// The time of a build on two cores, as printed in the question.
const USUAL_TIME: &str = "two to five minutes";

/// Advice without a page and without sources.
const GET_SOURCES: &str = "archives of releases have the page, and in a checkout of lasthop `cargo install --path crates/cli` \
                           makes a lasthop that builds it";

/// How the page may be obtained.
pub struct PageOptions<'a> {
    /// Build the page without asking.
    pub build: bool,
    /// Use the page of this checkout, not the page in this build.
    pub checkout: Option<&'a Path>,
}

/// The page, or a build that is needed first.
pub enum PageSource {
    /// The page.
    Page(Page),
    /// A build with the user's consent.
    Plan(BuildPlan),
}

/// A build of the page.
pub struct BuildPlan {
    checkout: PathBuf,
    fingerprint: &'static str,
    cache: PageCache,
}

/// Finds the page. If there is none, asks whether to build it.
pub fn find_page(options: &PageOptions<'_>) -> Result<PageSource, CommandFailure> {
    // With `--build` a page is checked before it is used. A damaged page is built again.
    let is_usable = |page: &Page| !options.build || page.is_readable();
    if options.checkout.is_none()
        && let Some(page) = Page::from_build().filter(is_usable)
    {
        return Ok(PageSource::Page(page));
    }
    let own = checkout::OWN.map(Path::new);
    let (Some(fingerprint), Some(checkout)) = (checkout::FINGERPRINT, options.checkout.or(own)) else {
        return Err(as_input(format!(
            "this lasthop has no page and no sources to build it from\n  hint: {GET_SOURCES}"
        )));
    };
    let cache = PageCache::new(cache_folder(|name| env::var_os(name)).map_err(as_input)?, fingerprint);
    match cache.load() {
        CacheState::Whole(page) if is_usable(&page) => return Ok(PageSource::Page(page)),
        CacheState::Whole(_) | CacheState::Damaged => {
            write_note(format_args!("note: the page in {} is damaged, and is built again", format_path(&cache.file())));
        }
        CacheState::Missing => {}
    }
    // The build runs in a different folder from this program.
    let checkout = fs::canonicalize(checkout).unwrap_or_else(|_| checkout.to_owned());
    let plan = BuildPlan { checkout, fingerprint, cache };
    plan.agree(options)?;
    Ok(PageSource::Plan(plan))
}

/// The page of this build or of the cache; `None` if there is none yet.
pub fn ready_page() -> Option<Page> {
    Page::from_build().or_else(|| {
        let folder = cache_folder(|name| env::var_os(name)).ok()?;
        match PageCache::new(folder, checkout::FINGERPRINT?).load() {
            CacheState::Whole(page) => Some(page),
            CacheState::Damaged | CacheState::Missing => None,
        }
    })
}

/// Advice without a page.
pub fn suggest_build() -> &'static str {
    if checkout::FINGERPRINT.is_some() && checkout::OWN.is_some() {
        "`lasthop web --build` builds the page once; then repeat this command"
    } else {
        GET_SOURCES
    }
}

impl BuildPlan {
    /// Checks that the page can be built, and asks for consent unless `--build` has given it.
    fn agree(&self, options: &PageOptions<'_>) -> Result<(), CommandFailure> {
        let is_terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
        let place = format_path(&self.checkout);
        if !options.build && !is_terminal {
            return Err(as_input(format!(
                "this lasthop has no page yet; `lasthop web --build` builds it from {place}, in {USUAL_TIME}"
            )));
        }
        checkout::check_sources(&self.checkout, self.fingerprint).map_err(as_input)?;
        let missing = needs::missing_programs(&self.checkout);
        if !missing.is_empty() {
            return Err(CommandFailure::Input(
                missing.iter().map(|sentence| format!("error: {sentence}")).collect::<Vec<_>>().join("\n"),
            ));
        }
        let question = format!(
            "This lasthop has no page yet. It can be built now, once, in {USUAL_TIME}, with packages from the network:\n\
             `cargo xtask web` in {place}, which writes its folders target and web/node_modules.\n\
             The page is stored as {}. Build it? [Y/n] ",
            format_path(&self.cache.file())
        );
        if options.build || ask_consent(&question, &mut io::stdin().lock(), &mut io::stderr().lock()) {
            return Ok(());
        }
        Err(CommandFailure::Run("no page was built; `lasthop web` asks again".to_owned()))
    }

    /// Builds the page and keeps it, or uses the page that a concurrent process has built.
    pub fn build(&self, interrupted: &AtomicBool) -> Result<Page, CommandFailure> {
        let unwritable = |error: io::Error| self.unwritable(&error);
        let wait = || write_note("another lasthop builds a page; waiting until it has finished");
        let is_interrupted = || interrupted.load(Ordering::Relaxed);
        let Some(_lock) = self.cache.lock(wait, is_interrupted).map_err(unwritable)? else {
            return Err(CommandFailure::Interrupted("interrupted; no page was built".to_owned()));
        };
        if let CacheState::Whole(page) = self.cache.load()
            && page.is_readable()
        {
            return Ok(page);
        }
        self.cache.remove_leftovers();
        let folder = self.cache.build_folder();
        fs::create_dir_all(&folder).map_err(unwritable)?;
        let page = self.build_into(&folder, interrupted);
        let _ = fs::remove_dir_all(&folder);
        page
    }

    fn build_into(&self, folder: &Path, interrupted: &AtomicBool) -> Result<Page, CommandFailure> {
        let began = builder::read_clock();
        write_note(format_args!("building the page from {}", format_path(&self.checkout)));
        builder::build_page(&self.checkout, folder, &self.cache.log(), interrupted)?;
        // The sources may have changed since the last check.
        checkout::check_sources(&self.checkout, self.fingerprint).map_err(as_input)?;
        let page = read_files(folder).map(Page::from_files).map_err(|error| self.unwritable(&error))?;
        let page = page.ok_or_else(|| {
            CommandFailure::Run(format!(
                "the build wrote no page; its complete output: {}",
                format_path(&self.cache.log())
            ))
        })?;
        let time = began.elapsed().as_secs_f64();
        match self.cache.store(&page) {
            Ok(()) => {
                write_note(format_args!(
                    "the page was built in {time:.0} s and is kept as {}",
                    format_path(&self.cache.file())
                ));
            }
            // The page is in use, and the next start builds it again.
            Err(error) => {
                let folder = self.folder();
                write_note(format_args!(
                    "note: the page was built in {time:.0} s but cannot be kept in {folder}: {error}"
                ));
            }
        }
        Ok(page)
    }

    /// The cache as text.
    fn folder(&self) -> String {
        let file = self.cache.file();
        format_path(file.parent().unwrap_or(&file))
    }

    fn unwritable(&self, error: &io::Error) -> CommandFailure {
        let folder = self.folder();
        CommandFailure::Run(format!(
            "the page cannot be kept in {folder}: {error}; XDG_CACHE_HOME can name another place"
        ))
    }
}

fn as_input(sentence: String) -> CommandFailure {
    CommandFailure::Input(format!("error: {sentence}"))
}

/// Asks a yes-or-no question; an empty line means yes, and the end of input means no.
fn ask_consent(question: &str, input: &mut impl BufRead, output: &mut impl Write) -> bool {
    loop {
        let mut answer = String::new();
        let asked = output.write_all(question.as_bytes()).and_then(|()| output.flush());
        if asked.is_err() || input.read_line(&mut answer).unwrap_or(0) == 0 {
            return false;
        }
        match answer.trim().to_lowercase().as_str() {
            "" | "y" | "yes" => return true,
            "n" | "no" => return false,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_is_repeated_until_the_answer_is_clear() {
        for (answers, expected, times) in
            [("\n", true, 1), ("y\n", true, 1), ("no\n", false, 1), ("", false, 1), ("what?\nYES\n", true, 2)]
        {
            let mut output = Vec::new();
            assert_eq!(ask_consent("Build it? ", &mut answers.as_bytes(), &mut output), expected, "{answers:?}");
            assert_eq!(String::from_utf8(output).unwrap(), "Build it? ".repeat(times), "{answers:?}");
        }
    }
}

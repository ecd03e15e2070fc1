//! Building of a missing page by `lasthop web`. Scripts replace cargo, rustc, npm and Node, so the tests compile and
//! download nothing; `--checkout` ignores a page in the program under test.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::Served;
use crate::common::{Ended, command, ended, root, scratch, send_signal};

/// A build that succeeds.
const SUCCEED: &str = "mkdir -p $out/assets
printf '<!doctype html>stand-in' | gzip -n > $out/index.html.gz
printf 'let a;' | gzip -n > $out/assets/a.js.gz
";

/// Stand-ins for the programs of a build, a cache, and the number of builds.
struct StandIn {
    dir: PathBuf,
}

impl StandIn {
    /// Creates stand-ins. The stand-in for cargo executes `build`, a shell script in which `$out` is the folder of the
    /// page.
    fn new(test: &str, build: &str) -> Self {
        let stand_in = StandIn { dir: scratch(test) };
        fs::create_dir(stand_in.dir.join("bin")).unwrap();
        stand_in.program("rustc", "echo /");
        stand_in.program("node", "echo v20.19.0");
        stand_in.program("npm", "true");
        stand_in.set_build(build);
        stand_in
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.dir.join("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn remove(&self, program: &str) {
        fs::remove_file(self.dir.join("bin").join(program)).unwrap();
    }

    fn set_build(&self, build: &str) {
        let calls = self.dir.join("calls");
        let calls = calls.display();
        let check = "[ \"$1 $2 $3\" = 'xtask web --out' ] || exit 9\nout=$4\necho 'step: bundle the page' >&2";
        self.program("cargo", &format!("echo \"$PWD\" >> '{calls}'\n{check}\n{build}"));
    }

    /// Folders in which a build was started.
    fn builds(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.dir.join("calls")).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }

    /// `lasthop web` with a checkout and more arguments.
    fn command(&self, checkout: &Path, args: &[&str]) -> Command {
        let checkout = checkout.display().to_string();
        let mut command = command(&self.dir, &[&["web", "--no-open", "--checkout", &checkout], args].concat());
        command.env("PATH", self.dir.join("bin")).env("XDG_CACHE_HOME", self.dir.join("cache")).env_remove("RUSTC");
        command
    }

    /// The page served by `lasthop web --build`.
    fn serve_page(&self) -> Served {
        Served::try_start(&mut self.command(&root(), &["--build"])).unwrap_or_else(|ended| panic!("{}", ended.err))
    }

    /// Output of a command that ends without a page.
    fn run_refused(&self, checkout: &Path, args: &[&str]) -> Ended {
        ended(self.command(checkout, args).stdin(Stdio::null()).output().unwrap())
    }

    /// The names in the cache.
    fn list_cache(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.dir.join("cache/lasthop")) else { return Vec::new() };
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The page's file.
    fn page(&self) -> PathBuf {
        let page =
            self.list_cache().into_iter().find(|name| name.starts_with("page-")).expect("a page is in the cache");
        self.dir.join("cache/lasthop").join(page)
    }
}

#[test]
fn page_is_built_once_and_then_taken_from_the_cache() {
    let stand_in = StandIn::new("web-build-once", SUCCEED);
    let served = stand_in.serve_page();
    assert_eq!(served.get_body("/"), b"<!doctype html>stand-in");
    assert_eq!(served.get_body("/assets/a.js"), b"let a;");
    assert_eq!(served.request("/../calls", &served.address).0, 404);
    let err = served.interrupt().err;
    for text in ["building the page from ", "  bundle the page ", "the page was built in 0 s and is kept as "] {
        assert!(err.contains(text), "{text}: {err}");
    }
    assert_eq!(stand_in.builds(), [root().display().to_string()]);
    assert_eq!(stand_in.list_cache().len(), 3, "a log, a lock and the page: {:?}", stand_in.list_cache());

    for program in ["cargo", "rustc", "npm", "node"] {
        stand_in.remove(program);
    }
    let again = Served::try_start(&mut stand_in.command(&root(), &[])).unwrap_or_else(|ended| panic!("{}", ended.err));
    assert_eq!(again.get_body("/"), b"<!doctype html>stand-in");
    assert_eq!(again.interrupt().err, "Ctrl-C ends the server\n");
}

#[test]
fn damaged_page_in_the_cache_is_built_again() {
    let stand_in = StandIn::new("web-build-damaged", SUCCEED);
    drop(stand_in.serve_page());
    let whole = fs::read(stand_in.page()).unwrap();
    fs::write(stand_in.page(), &whole[..whole.len() / 2]).unwrap();
    let Ended { code, err, .. } = stand_in.run_refused(&root(), &[]);
    assert_eq!(code, Some(2));
    assert!(err.contains(" is damaged, and is built again\nerror: "), "{err}");
    let served = stand_in.serve_page();
    assert_eq!(served.get_body("/"), b"<!doctype html>stand-in");
    assert!(served.interrupt().err.starts_with("note: the page in "));
    assert_eq!(stand_in.builds().len(), 2);
    assert_eq!(fs::read(stand_in.page()).unwrap(), whole);
}

/// The checksum matches: the build itself wrote the damaged file.
#[test]
fn damaged_file_of_the_page_is_named_and_built_again_on_request() {
    let stand_in = StandIn::new("web-build-unreadable", &format!("{SUCCEED}echo cut > $out/assets/a.js.gz\n"));
    let served = stand_in.serve_page();
    let (status, _, body) = served.request("/assets/a.js", &served.address);
    let text = String::from_utf8(body).unwrap();
    let expected = "the page's file assets/a.js is damaged; `lasthop web --build` builds it again\n";
    assert_eq!((status, text.as_str()), (500, expected));
    drop(served);
    stand_in.set_build(SUCCEED);
    let served = stand_in.serve_page();
    assert_eq!(served.get_body("/assets/a.js"), b"let a;");
    assert!(served.interrupt().err.contains(" is damaged, and is built again\n"));
    assert_eq!(stand_in.builds().len(), 2);
}

#[test]
fn missing_programs_are_named_with_their_remedy() {
    let stand_in = StandIn::new("web-build-missing", SUCCEED);
    let refuse = || {
        let Ended { code, out, err } = stand_in.run_refused(&root(), &["--build"]);
        assert_eq!((code, out.as_str(), stand_in.builds().len()), (Some(2), "", 0), "{err}");
        err
    };
    stand_in.program("node", "echo v18.20.4");
    let old = "error: Node has version \"v18.20.4\", and the page needs 20.19 or a later 20, or 22.12 or newer: \
               https://nodejs.org\n";
    assert_eq!(refuse(), old);
    stand_in.remove("node");
    assert_eq!(refuse(), "error: node is missing, on which npm runs: `apt-get install nodejs`\n");
    stand_in.remove("npm");
    let npm = "error: npm is missing, which builds the page: `apt-get install npm`\n";
    assert_eq!(refuse(), npm);
    stand_in.program("rustc", "echo /nonexistent");
    stand_in.program("rustup", "true");
    let target = "error: Rust's WebAssembly target is missing: `rustup target add wasm32-unknown-unknown`\n";
    assert_eq!(refuse(), format!("{target}{npm}"));
    stand_in.remove("cargo");
    let cargo = "error: cargo is missing, which compiles the simulator: https://rustup.rs installs it\n";
    assert_eq!(refuse(), format!("{cargo}{npm}"));
}

#[test]
fn without_a_terminal_the_build_command_is_named() {
    let stand_in = StandIn::new("web-build-asked", SUCCEED);
    let Ended { code, err, .. } = stand_in.run_refused(&root(), &[]);
    assert_eq!((code, err.lines().count(), stand_in.builds().len()), (Some(2), 1, 0), "{err}");
    assert!(err.starts_with("error: this lasthop has no page yet; `lasthop web --build` builds it from "), "{err}");
}

/// A copy of the sources below `dir`, without files written by builds.
fn copy_sources(dir: &Path) -> PathBuf {
    let copy = dir.join("copy");
    fs::create_dir(&copy).unwrap();
    let parts = ["crates", "web", "xtask", "examples", "Cargo.toml", "Cargo.lock"].map(|part| format!("./{part}"));
    let script = "from=$1; to=$2; shift 2; tar -C \"$from\" -ch --exclude=node_modules --exclude=./web/dist --exclude=./web/src/wasm \
                  --exclude=./web/public/examples --exclude=./examples/outside --exclude=./crates/*/tests \
                  \"$@\" | tar -C \"$to\" -x";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, "copy"]).arg(root()).arg(&copy).args(parts);
    assert!(shell.status().unwrap().success());
    copy
}

#[test]
fn moved_checkout_and_changed_sources_are_refused() {
    let stand_in = StandIn::new("web-build-moved", SUCCEED);
    let moved = stand_in.dir.join("moved");
    let Ended { code, err, .. } = stand_in.run_refused(&moved, &["--build"]);
    assert_eq!((code, err.lines().count()), (Some(2), 1), "{err}");
    assert!(
        err.contains(&format!("{} is not a checkout (any more); `lasthop web --build --checkout", moved.display())),
        "{err}"
    );

    let other = copy_sources(&stand_in.dir);
    fs::write(other.join("crates/sim/src/changed.rs"), "").unwrap();
    let Ended { code, err, .. } = stand_in.run_refused(&other, &["--build"]);
    assert_eq!((code, err.lines().count(), stand_in.builds().len()), (Some(2), 1, 0), "{err}");
    assert!(err.contains(" has other sources than this lasthop was built from "), "{err}");
    // Equal files give equal fingerprints at any place, and files written by a build are ignored.
    fs::remove_file(other.join("crates/sim/src/changed.rs")).unwrap();
    for generated in ["web/src/wasm", "web/public/examples", "web/node_modules", "target"] {
        fs::create_dir_all(other.join(generated)).unwrap();
        fs::write(other.join(generated).join("new.js"), "").unwrap();
    }
    let served = Served::try_start(&mut stand_in.command(&other, &["--build"]));
    assert!(served.is_ok_and(|served| served.get_body("/") == b"<!doctype html>stand-in"));
}

#[test]
fn missing_home_directory_is_reported_with_an_alternative() {
    let stand_in = StandIn::new("web-build-home", SUCCEED);
    let mut command = stand_in.command(&root(), &["--build"]);
    let output = command.env_remove("HOME").env_remove("XDG_CACHE_HOME").env_remove("LOCALAPPDATA").output().unwrap();
    let Ended { code, err, .. } = ended(output);
    assert_eq!((code, err.lines().count(), stand_in.builds().len()), (Some(2), 1, 0), "{err}");
    assert!(err.contains("HOME is not set; set it, or XDG_CACHE_HOME to a writable folder"), "{err}");
}

/// Both programs start at the same time, and either of them may build.
#[test]
fn simultaneous_builds_make_one_page() {
    let stand_in = StandIn::new("web-build-two", &format!("sleep 2\n{SUCCEED}"));
    let start = || {
        let mut command = stand_in.command(&root(), &["--build"]);
        std::thread::spawn(move || Served::try_start(&mut command).unwrap_or_else(|ended| panic!("{}", ended.err)))
    };
    let both = [start(), start()].map(|thread| thread.join().unwrap());
    let texts = both.map(|served| {
        assert_eq!(served.get_body("/"), b"<!doctype html>stand-in");
        served.interrupt().err
    });
    let waited =
        texts.iter().filter(|err| err.starts_with("another lasthop builds a page; waiting until it has finished\n"));
    assert_eq!((waited.count(), stand_in.builds().len()), (1, 1), "{texts:?}");
}

#[test]
fn failure_of_npm_is_one_sentence_with_its_log() {
    let said = "npm error code EAI_AGAIN\nnpm error request to https://registry.example failed\nxtask: `npm ci` failed (exit status: 1)";
    let stand_in = StandIn::new("web-build-network", &format!("echo '{said}' >&2\nexit 1"));
    let Ended { code, err, .. } = stand_in.run_refused(&root(), &["--build"]);
    assert_eq!(code, Some(1));
    assert!(
        err.contains(
            "\nerror: the page was not built: npm cannot reach the registry of the page's packages (EAI_AGAIN); "
        ),
        "{err}"
    );
    let log = stand_in.dir.join("cache/lasthop/build.log");
    assert!(err.ends_with(&format!("\n  all output of the build: {}\n", log.display())), "{err}");
    assert_eq!(fs::read_to_string(log).unwrap(), format!("step: bundle the page\n{said}\n"));
    assert_eq!(stand_in.list_cache(), ["build.log", "lock"]);
}

#[test]
fn build_that_leaves_no_page_is_an_error() {
    let stand_in = StandIn::new("web-build-nothing", "true");
    let Ended { code, err, .. } = stand_in.run_refused(&root(), &["--build"]);
    assert_eq!(code, Some(1));
    assert!(err.contains("\nerror: the build wrote no page; its complete output: "), "{err}");
    assert_eq!(stand_in.list_cache(), ["build.log", "lock"]);
}

/// A limit of the file size simulates a full disk: each file of the page is smaller, and the whole page is larger.
#[test]
fn page_that_exceeds_the_disk_is_served_and_not_cached() {
    skip::need!("bash");
    let large = "for name in index.html b.js c.js; do head -c 6000 /dev/urandom | gzip -n > $out/$name.gz; done";
    let stand_in = StandIn::new("web-build-full", large);
    let web = stand_in.command(&root(), &["--build"]);
    // The PATH of the stand-ins does not include bash.
    let mut limited = Command::new("/bin/bash");
    limited.args(["-c", "ulimit -f 10; exec \"$@\"", "limited"]).arg(web.get_program()).args(web.get_args());
    limited.current_dir(&stand_in.dir);
    for (name, value) in web.get_envs() {
        limited.env(name, value.unwrap_or_default());
    }
    limited.env_remove("RUSTC");
    let served = Served::try_start(&mut limited).unwrap_or_else(|ended| panic!("{}", ended.err));
    assert_eq!(served.get_body("/c.js").len(), 6000);
    let err = served.interrupt().err;
    assert!(err.contains(" s but cannot be kept in ") && err.contains("/cache/lasthop: File too large"), "{err}");
    assert_eq!(stand_in.list_cache(), ["build.log", "lock"]);
}

#[test]
fn cache_that_cannot_be_written_is_named() {
    let stand_in = StandIn::new("web-build-unwritable", SUCCEED);
    fs::write(stand_in.dir.join("cache"), "a file").unwrap();
    let Ended { code, err, .. } = stand_in.run_refused(&root(), &["--build"]);
    assert_eq!((code, err.lines().count(), stand_in.builds().len()), (Some(1), 1, 0), "{err}");
    assert!(err.starts_with("error: the page cannot be kept in ") && err.contains("XDG_CACHE_HOME can name"), "{err}");
}

/// Starts a build that does not end, and waits until the build has written its first file.
fn start_endless_build(stand_in: &StandIn) -> Child {
    stand_in.set_build(&format!("{SUCCEED}echo 'step: wait' >&2\nexec sleep 20"));
    let mut command = stand_in.command(&root(), &["--build"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.into_iter().any(|line| line.trim_start().starts_with("bundle the page ")));
    child
}

#[test]
fn interrupted_build_leaves_no_page() {
    let stand_in = StandIn::new("web-build-interrupted", "");
    let mut child = start_endless_build(&stand_in);
    send_signal("INT", child.id());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(stand_in.list_cache(), ["build.log", "lock"]);
    stand_in.set_build(SUCCEED);
    assert_eq!(stand_in.serve_page().get_body("/"), b"<!doctype html>stand-in");
    assert_eq!(stand_in.builds().len(), 2);
}

#[test]
fn leftovers_of_a_killed_build_are_removed_by_the_next_build() {
    let stand_in = StandIn::new("web-build-killed", "");
    let mut child = start_endless_build(&stand_in);
    child.kill().unwrap();
    child.wait().unwrap();
    let left = stand_in.list_cache();
    assert!(left.iter().any(|name| name.starts_with("build-")) && !left.iter().any(|name| name.starts_with("page-")));
    stand_in.set_build(SUCCEED);
    assert_eq!(stand_in.serve_page().get_body("/"), b"<!doctype html>stand-in");
    assert!(!stand_in.list_cache().iter().any(|name| name.starts_with("build-")), "{:?}", stand_in.list_cache());
}

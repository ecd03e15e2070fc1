//! The page in the user's cache, as one file for each version of the sources. A file is written completely or not at
//! all.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lab::atomic_file;

use super::bundle::Page;
use super::packed::{pack_page, unpack_page};

/// Maximum number of cached pages, of which the newest are kept, so that programs of several checkouts can alternate
/// without new builds.
const MAX_PAGES: usize = 4;

/// Interval between attempts to lock the cache.
const RETRY: Duration = Duration::from_millis(200);

/// The user's cache folder for lasthop.
///
/// [XDG Base Directory Specification: `XDG_CACHE_HOME` if it is an absolute path, else `~/.cache`]; on macOS
/// `~/Library/Caches`, on Windows `LOCALAPPDATA`.
pub fn cache_folder(variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, String> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let below_home = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    let system = || if cfg!(windows) { absolute("LOCALAPPDATA") } else { Some(absolute("HOME")?.join(below_home)) };
    absolute("XDG_CACHE_HOME").or_else(system).map(|folder| folder.join("lasthop")).ok_or_else(|| {
        let home = if cfg!(windows) { "LOCALAPPDATA" } else { "HOME" };
        format!(
            "the page has no cache folder: {home} is not set; set it, or XDG_CACHE_HOME to a writable folder, such as \
             XDG_CACHE_HOME=/var/tmp/cache"
        )
    })
}

/// Place of one page version in a cache folder.
pub struct PageCache {
    folder: PathBuf,
    /// The name of the page's file.
    name: String,
}

/// The content of the cache.
pub enum CacheState {
    /// The page.
    Whole(Page),
    /// An incomplete page file.
    Damaged,
    /// Nothing.
    Missing,
}

impl PageCache {
    /// The cached file for the page of these sources.
    pub fn new(folder: PathBuf, fingerprint: &str) -> Self {
        PageCache { folder, name: format!("page-{}-{fingerprint}", env!("CARGO_PKG_VERSION")) }
    }

    /// The page's file.
    pub fn file(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// The file with the output of the last build.
    pub fn log(&self) -> PathBuf {
        self.folder.join("build.log")
    }

    /// A folder for the files of a build by this process.
    pub fn build_folder(&self) -> PathBuf {
        self.folder.join(format!("build-{}", std::process::id()))
    }

    /// Reads the page.
    pub fn load(&self) -> CacheState {
        match fs::read(self.file()) {
            Ok(bytes) => unpack_page(&bytes).map_or(CacheState::Damaged, CacheState::Whole),
            Err(error) if error.kind() == io::ErrorKind::IsADirectory => CacheState::Damaged,
            // The cause of this error also prevents writing, and the error of writing names it.
            Err(_) => CacheState::Missing,
        }
    }

    /// Writes the page, and removes the oldest ones of other versions.
    pub fn store(&self, page: &Page) -> io::Result<()> {
        if self.file().is_dir() {
            fs::remove_dir_all(self.file())?;
        }
        atomic_file::write_atomically(&self.file(), &pack_page(page))?;
        self.remove_old_pages();
        Ok(())
    }

    fn remove_old_pages(&self) {
        let mut pages = self.entries("page-");
        pages.sort_by_key(|path| fs::metadata(path).and_then(|data| data.modified()).ok());
        pages.retain(|path| *path != self.file());
        let excess = (pages.len() + 1).saturating_sub(MAX_PAGES);
        for path in pages.iter().take(excess) {
            // An old page that cannot be removed only occupies space.
            let _ = fs::remove_file(path);
        }
    }

    /// Removes files of interrupted builds. The caller holds the lock.
    pub fn remove_leftovers(&self) {
        for path in self.entries("build-") {
            let _ = fs::remove_dir_all(path);
        }
    }

    fn entries(&self, start: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().filter_map(Result::ok);
        let chosen = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(start));
        chosen.map(|entry| entry.path()).collect()
    }

    /// Locks the cache, so that one process builds at a time. Calls `wait` once if another process has the lock, and
    /// gives up when `is_interrupted` returns true. The lock ends with the file that is returned, or with the process.
    pub fn lock(&self, wait: impl FnOnce(), is_interrupted: impl Fn() -> bool) -> io::Result<Option<File>> {
        fs::create_dir_all(&self.folder)?;
        let file = File::create(self.folder.join("lock"))?;
        let mut wait = Some(wait);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(file)),
                Err(TryLockError::WouldBlock) if is_interrupted() => return Ok(None),
                Err(TryLockError::WouldBlock) => {
                    if let Some(wait) = wait.take() {
                        wait();
                    }
                    std::thread::sleep(RETRY);
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

/// The compressed files `NAME.gz` below a folder, by name.
pub fn read_files(folder: &Path) -> io::Result<Vec<(String, Vec<u8>)>> {
    fn add(folder: &Path, below: &str, files: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = format!("{below}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                add(&entry.path(), &format!("{name}/"), files)?;
            } else if let Some(name) = name.strip_suffix(".gz") {
                files.push((name.to_owned(), fs::read(entry.path())?));
            }
        }
        Ok(())
    }
    let mut files = Vec::new();
    add(folder, "", &mut files)?;
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(variables: &[(&str, &str)]) -> Result<PathBuf, String> {
        cache_folder(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
    }

    #[cfg(not(any(windows, target_os = "macos")))]
    #[test]
    fn cache_folder_follows_the_xdg_rule() {
        let home = ("HOME", "/home/u");
        assert_eq!(folder_with(&[home, ("XDG_CACHE_HOME", "/c")]), Ok("/c/lasthop".into()));
        // A relative path is invalid and ignored.
        for relative in ["", "c"] {
            let found = folder_with(&[home, ("XDG_CACHE_HOME", relative)]);
            assert_eq!(found, Ok("/home/u/.cache/lasthop".into()));
        }
        for missing in [&[][..], &[("HOME", "")], &[("XDG_CACHE_HOME", "c")]] {
            assert!(
                folder_with(missing)
                    .unwrap_err()
                    .starts_with("the page has no cache folder: HOME is not set; set it, or")
            );
        }
    }

    #[test]
    fn newest_pages_are_kept() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().to_owned();
        let page = Page::from_files(vec![("index.html".to_owned(), vec![1])]).unwrap();
        let names = ["a", "b", "c", "d", "e", "f"];
        for (second, name) in names.iter().enumerate() {
            let cache = PageCache::new(folder.clone(), name);
            cache.store(&page).unwrap();
            assert!(matches!(cache.load(), CacheState::Whole(_)));
            let time = std::time::UNIX_EPOCH + Duration::from_secs(second as u64);
            File::options().append(true).open(cache.file()).unwrap().set_modified(time).unwrap();
        }
        let is_kept = |name: &&str| PageCache::new(folder.clone(), name).file().exists();
        assert_eq!(names.into_iter().filter(|name| is_kept(name)).collect::<Vec<_>>(), ["c", "d", "e", "f"]);
    }
}

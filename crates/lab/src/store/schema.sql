-- checksum: CRC-32 of the row's other columns, see checksum.rs.

-- One row for each sweep whose results are here.
CREATE TABLE sweeps (
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE, -- of the scenario with its sweep
  name TEXT NOT NULL,
  title TEXT NOT NULL,
  scenario TEXT NOT NULL, -- TOML, enough to run it again
  metrics TEXT NOT NULL, -- JSON: the names of the figures to show
  lasthop TEXT NOT NULL, -- version of the program
  model INTEGER NOT NULL, -- version of the model
  checksum INTEGER NOT NULL
) STRICT;

-- What a sweep consists of: each case at each point of its grid.
CREATE TABLE cells (
  sweep INTEGER NOT NULL REFERENCES sweeps (id),
  point INTEGER NOT NULL, -- from 0, the last axis varying fastest
  "case" INTEGER NOT NULL, -- from 0; the others are compared with it
  case_name TEXT NOT NULL,
  changes TEXT NOT NULL, -- JSON: keys and values of the point
  case_changes TEXT NOT NULL, -- JSON: keys and values of the case
  digest BLOB NOT NULL, -- of the scenario that runs here
  checksum INTEGER NOT NULL,
  PRIMARY KEY (sweep, point, "case")
) STRICT, WITHOUT ROWID;

-- One row for each finished run; each was one transaction.
CREATE TABLE runs (
  digest BLOB NOT NULL, -- of the scenario, as in cells
  replication INTEGER NOT NULL,
  summary TEXT NOT NULL, -- JSON, as `lasthop run --json` prints it
  checksum INTEGER NOT NULL,
  PRIMARY KEY (digest, replication)
) STRICT;

-- checksum: CRC-32 of the row's other columns, see checksum.rs.

-- One row for each sweep whose results are here.
CREATE TABLE sweeps (
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE, -- of what it consists of
  name TEXT NOT NULL,
  title TEXT NOT NULL,
  scenario TEXT NOT NULL, -- TOML, enough to run it again
  metrics TEXT NOT NULL, -- JSON: the names of the metrics to show
  lasthop TEXT NOT NULL, -- version of the program
  model INTEGER NOT NULL, -- version of the model
  form INTEGER NOT NULL, -- version of the canonical form of which its runs' keys are made; 0: the scenario's text
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
  digest BLOB NOT NULL, -- key of its runs
  checksum INTEGER NOT NULL,
  PRIMARY KEY (sweep, point, "case")
) STRICT, WITHOUT ROWID;

-- One row for each set of metrics that a program had which wrote runs.
CREATE TABLE metric_sets (
  id INTEGER PRIMARY KEY,
  names TEXT NOT NULL UNIQUE, -- separated by spaces
  checksum INTEGER NOT NULL
) STRICT;

-- One row for each finished run; each was one transaction.
CREATE TABLE runs (
  digest BLOB NOT NULL, -- as in cells
  replication INTEGER NOT NULL,
  summary TEXT NOT NULL, -- JSON, as `lasthop run --json` prints it
  metric_set INTEGER NOT NULL, -- number of the set of metrics that it could have
  checksum INTEGER NOT NULL,
  PRIMARY KEY (digest, replication)
) STRICT;

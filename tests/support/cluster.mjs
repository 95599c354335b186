import { inRoot } from "../../scripts/lib/paths.mjs";

/** The tests' own PostgreSQL. Its data need not survive a power failure, and no database lives long enough for a vacuum. */
export const testCluster = {
  directory: inRoot(".data/test-postgres"),
  settings: {
    fsync: "off",
    full_page_writes: "off",
    synchronous_commit: "off",
    wal_level: "minimal",
    max_wal_senders: 0,
    autovacuum: "off",
    max_wal_size: "'4GB'",
    wal_init_zero: "off",
    checkpoint_timeout: "'1h'",
    max_connections: 300,
  },
};

import { inRoot } from "../../scripts/lib/paths.mjs";

/** The tests' own PostgreSQL. Nothing in it has to survive a power cut. */
export const testCluster = {
  directory: inRoot(".data/test-postgres"),
  settings: { fsync: "off", full_page_writes: "off", synchronous_commit: "off", max_connections: 300 },
};

/** Options of Node.js for migrations. The objects of three batches outlive the default of 16 MiB, so garbage collection would copy them. */
export const MIGRATION_NODE_OPTIONS = ["--max-semi-space-size=64"];

import fs from "node:fs";
import { inRoot } from "@/scripts/lib/paths.mjs";
import { table } from "../report";

/** Bytes that stay in the database, by how long they are kept. */
export interface Kept {
  /** Indefinitely. */
  records: number;
  /** For AUDIT_RETENTION_DAYS. */
  audit: number;
  /** For 30 days or less. */
  shortLived: number;
}

/** What one request, webhook or converted insurance costs. */
export interface Cost {
  /** CPU milliseconds of the server or worker, and of PostgreSQL. */
  serverMs: number;
  databaseMs: number;
  /** Bytes of the write-ahead log, while the pages that change have been logged since the last checkpoint. */
  walBytes: number;
  /** The same right after a checkpoint, when PostgreSQL logs whole pages. Null if it was not measured. */
  walBytesAfterCheckpoint: number | null;
  /** Milliseconds for which a connection to the database is busy. Null if it was not measured. */
  connectionMs: number | null;
  kept: Kept;
  /** Bytes in the image store. */
  imageBytes: number;
}

/** The requests whose cost is measured, and the work behind them. `create` archives policies, which then reject other requests. */
export const KINDS = ["get", "list", "put", "patch", "upload", "token", "create", "webhook", "convert"] as const;
export type Kind = (typeof KINDS)[number];

export const TITLES: Record<Kind, string> = {
  get: "GET policy",
  list: "list policies",
  put: "PUT policy",
  create: "POST policy",
  patch: "PATCH patient",
  upload: "card upload",
  token: "token",
  webhook: "webhook",
  convert: "convert an insurance",
};

/** A run of `npm run bench:scaling`. */
export interface Measured {
  date: string;
  cores: number;
  node: string;
  postgres: string;
  loadAverage: number;
  /** Settings of PostgreSQL. Runs before November 30, 2026 did not record them. */
  settings?: string;
  costs: Record<Kind, Cost>;
  /** Bytes of the write-ahead log per converted insurance, by kind of work. Runs before November 30, 2026 have only their sum. */
  conversionWalBytes?: Record<string, number>;
  /** Bytes of a row with its share of the indexes, by table. */
  rowBytes: Record<string, number>;
  /** Bytes that a CPU second of PostgreSQL copies to empty tables with indexes. */
  copyBytesPerCpuSecond: number;
}

export const COSTS_FILE = inRoot("bench/scaling/costs.json");

/** Reads the costs of the last published run. */
export function readCosts(): Measured {
  return JSON.parse(fs.readFileSync(COSTS_FILE, "utf8")) as Measured;
}

/** Formats costs as a table, which docs/scaling.md quotes. */
export function formatCosts(costs: Partial<Record<Kind, Cost>>): string {
  const kb = (bytes: number | null) => (bytes === null ? "-" : (bytes / 1000).toFixed(1));
  const rows = KINDS.flatMap((kind) => {
    const cost = costs[kind];
    if (!cost) return [];
    const { serverMs, databaseMs, connectionMs, walBytes, walBytesAfterCheckpoint, kept, imageBytes } = cost;
    return [
      [
        TITLES[kind],
        serverMs.toFixed(2),
        databaseMs.toFixed(2),
        connectionMs?.toFixed(1) ?? "-",
        ...[walBytes, walBytesAfterCheckpoint, kept.records, kept.audit, kept.shortLived, imageBytes].map(kb),
      ],
    ];
  });
  const heads = ["per request", "server CPU ms", "database CPU ms", "connection ms", "WAL kB", "after a checkpoint"];
  return table([...heads, "kept kB", "audit kB", "short-lived kB", "image kB"], rows);
}

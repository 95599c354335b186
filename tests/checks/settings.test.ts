import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { exposureWarnings, loadConfig, SettingsError, settingsSchema } from "@/lib/platform/config";
import { parseDatabaseUrl } from "@/lib/platform/db/database-url.mjs";

const needed = { DATABASE_URL: "postgresql://user@localhost/crosswalk", SECRET_KEY: "k".repeat(32) };

/** Reads the settings of .env.example: `# description`, then `NAME=default` (or `# NAME=` without a default). */
function readExample(): Map<string, { value: string; description: string }> {
  const entries = new Map<string, { value: string; description: string }>();
  let comment: string[] = [];
  for (const line of fs.readFileSync(".env.example", "utf8").split("\n")) {
    const [, name, value] = /^(?:# )?([A-Z0-9_]+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) entries.set(name, { value: value ?? "", description: comment.join(" ") });
    comment = line.startsWith("# ") && name === undefined ? [...comment, line.slice(2)] : [];
  }
  return entries;
}

function defaultOf(schema: unknown): string {
  const definition = (schema as { def: { defaultValue?: unknown; innerType?: unknown } }).def;
  if (definition.defaultValue !== undefined) return String(definition.defaultValue);
  return definition.innerType ? defaultOf(definition.innerType) : "";
}

describe(".env.example", () => {
  test("names exactly the settings of the schema, in its order", () => {
    expect([...readExample().keys()]).toEqual(Object.keys(settingsSchema.shape));
  });

  test.each(Object.entries(settingsSchema.shape))("describes %s and its default", (name, schema) => {
    const entry = readExample().get(name);
    expect(entry?.description).toBe(schema.description);
    expect(entry?.value).toBe(defaultOf(schema));
  });
});

describe("the settings", () => {
  test("have defaults, given a database and a key", () => {
    const config = loadConfig(needed);
    expect(config).toMatchObject({ PORT: 3000, TRUST_PROXY: false, STREAM_CONSUMER: "inline", TOKEN_CACHE_MS: 2000 });
    expect(config.IMAGE_STORE_DIR).toBe(".data/images");
  });

  test.each(["DATABASE_URL", "DIRECT_DATABASE_URL", "MIGRATION_DATABASE_URL"])("accept several hosts in %s", (name) => {
    const load = (value: string) => () => loadConfig({ ...needed, [name]: value });
    for (const hosts of ["a:5432,b:5433", "[::1]:5432,b", "a"])
      expect(load(`postgresql://user:p%40ss,@${hosts}/crosswalk?target_session_attrs=primary`)).not.toThrow();
    const wrong: [string, string][] = [
      ["postgresql://user:hidden@a:5432,b:port/crosswalk", "must be a URL postgresql://… or postgres://…"],
      ["mysql://user:hidden@a/crosswalk", "must be a URL postgresql://… or postgres://…"],
      ["postgresql://user:hidden@a,b/db?target_session_attrs=standby", "has a target_session_attrs that is not any, "],
    ];
    for (const [value, problem] of wrong) {
      expect(load(value)).toThrow(`${name} ${problem}`);
      expect(load(value)).not.toThrow("hidden");
    }
  });

  test("accept only standbys for reads, unless the URL says otherwise", () => {
    const load = (DATABASE_REPLICA_URL: string) => loadConfig({ ...needed, DATABASE_REPLICA_URL }).DATABASE_REPLICA_URL;
    const targetOf = (value: string) => parseDatabaseUrl(load(value) ?? "").target;
    for (const query of ["", "?sslmode=require", "?target_session_attrs=prefer-standby"])
      expect(targetOf(`postgresql://user@a,b/crosswalk${query}`)).toBe("standby");
    expect(targetOf("postgresql://user@a/crosswalk?target_session_attrs=any")).toBe("any");
    for (const target of ["primary", "read-write", "other"])
      expect(() => load(`postgresql://user@a,b/crosswalk?target_session_attrs=${target}`)).toThrow(
        "DATABASE_REPLICA_URL has a target_session_attrs that is not any, standby, prefer-standby",
      );
  });

  test("accept a file or a bucket for the anchors of the audit", () => {
    const load = (AUDIT_ANCHORS: string) => loadConfig({ ...needed, AUDIT_ANCHORS }).AUDIT_ANCHORS;
    for (const value of ["/mnt/anchors.jsonl", "s3://bucket/", "s3://bucket/audit/"]) expect(load(value)).toBe(value);
    for (const value of ["s3:bucket", "s3://bucket", "s3:///audit"]) expect(() => load(value)).toThrow(SettingsError);
  });

  test("report at startup what a bucket for card images lacks", () => {
    const problemsOf = (env: Record<string, string>) => {
      try {
        loadConfig({ ...needed, IMAGE_STORE: "s3", ...env });
        return [];
      } catch (error) {
        return (error as SettingsError).problems.map((problem) => problem.split(" ")[0]);
      }
    };
    expect(problemsOf({})).toEqual(["S3_BUCKET"]);
    expect(problemsOf({ S3_BUCKET: "cards" })).toEqual([]);
    expect(problemsOf({ S3_BUCKET: "cards", S3_ACCESS_KEY_ID: "key" })).toEqual(["S3_SECRET_ACCESS_KEY"]);
    expect(problemsOf({ S3_SECRET_ACCESS_KEY: "secret", PORT: "x" })).toEqual([
      "PORT",
      "S3_BUCKET",
      "S3_ACCESS_KEY_ID",
    ]);
    expect(problemsOf({ S3_BUCKET: "cards", S3_ENDPOINT: "store.example.org" })).toEqual(["S3_ENDPOINT"]);
  });

  test("need different ports for requests and metrics", () => {
    const load = (env: Record<string, string>) => () => loadConfig({ ...needed, ...env });
    expect(load({ METRICS_PORT: "3000" })).toThrow("METRICS_PORT must differ from PORT");
    expect(load({ PORT: "8080", METRICS_PORT: "8080" })).toThrow("METRICS_PORT must differ from PORT");
    expect(load({ PORT: "8080", METRICS_PORT: "9464" })().METRICS_PORT).toBe(9464);
  });

  test("count as unset if they are empty", () => {
    expect(loadConfig({ ...needed, PORT: "", PUBLIC_URL: " " })).toMatchObject({ PORT: 3000 });
  });

  test("accept a public address without a path, in any spelling", () => {
    const publicUrl = (PUBLIC_URL: string) => loadConfig({ ...needed, PUBLIC_URL }).PUBLIC_URL;
    expect(publicUrl("HTTPS://Crosswalk.example.org:443/")).toBe("https://crosswalk.example.org");
    for (const path of ["/app", "/?a=1", "/#b"])
      expect(() => publicUrl(`https://example.org${path}`)).toThrow("PUBLIC_URL must");
    expect(() => publicUrl("https://user@example.org/")).toThrow("PUBLIC_URL must");
  });

  test("require a public address if other machines can reach the server", () => {
    const problemsOf = (env: Record<string, string>) => {
      try {
        loadConfig({ ...needed, ...env });
        return [];
      } catch (error) {
        return [...(error as SettingsError).problems];
      }
    };
    for (const HOST of ["", "127.0.0.1", "127.1.2.3", "::1", "localhost"]) expect(problemsOf({ HOST })).toEqual([]);
    for (const HOST of ["0.0.0.0", "::", "10.0.0.5", "crosswalk.internal", "127.0.0.1.example.org"]) {
      expect(problemsOf({ HOST })).toEqual([expect.stringMatching(/^PUBLIC_URL is required/)]);
      expect(problemsOf({ HOST, PUBLIC_URL: "https://crosswalk.example.org" })).toEqual([]);
    }
    expect(problemsOf({ TRUST_PROXY: "true" })).toEqual([expect.stringMatching(/^PUBLIC_URL is required/)]);
  });

  test("produce a warning if they expose the server without TLS", () => {
    const warningsFor = (env: Record<string, string>) => exposureWarnings(loadConfig({ ...needed, ...env })).join("\n");
    const https = { HOST: "0.0.0.0", PUBLIC_URL: "https://crosswalk.example.org" };
    expect(warningsFor({})).toBe("");
    expect(warningsFor({ ...https, TRUST_PROXY: "true" })).toBe("");
    expect(warningsFor({ HOST: "0.0.0.0", PUBLIC_URL: "http://10.0.0.5:3000" })).toMatch(
      /HOST=0\.0\.0\.0 .* plain HTTP/,
    );
    expect(warningsFor(https)).toContain("TRUST_PROXY=true");
  });

  test("produce a warning if data of patients crosses the network unencrypted", () => {
    const warningsFor = (env: Record<string, string>) => exposureWarnings(loadConfig({ ...needed, ...env }));
    const url = (hosts: string, query = "") => `postgresql://user:hidden@${hosts}/crosswalk${query}`;
    const local = ["localhost", "127.0.0.1:5432", "[::1]:5432", "%2Fvar%2Frun%2Fpostgresql:5432"].map((hosts) =>
      url(hosts),
    );
    for (const DATABASE_URL of [...local, "postgresql:///crosswalk", "postgresql:///crosswalk?host=/tmp"])
      expect(warningsFor({ DATABASE_URL })).toEqual([]);
    for (const hosts of ["db.example.org", "10.0.0.5:5432", "localhost,db2.example.org"])
      for (const name of ["DATABASE_URL", "DATABASE_REPLICA_URL"]) {
        const [warning, ...others] = warningsFor({ [name]: url(hosts) });
        expect(others).toEqual([]);
        expect(warning).toMatch(new RegExp(`^${name} has no sslmode, .* unencrypted`));
        expect(warning).not.toContain("hidden");
        for (const query of ["?sslmode=verify-full", "?application_name=a&sslmode=disable", "?ssl=true"])
          expect(warningsFor({ [name]: url(hosts, query) })).toEqual([]);
      }
  });

  test("are all listed by name, without their values, if they are invalid", () => {
    const wrong = { PORT: "abc", SECRET_KEY: "short-secret", TRUST_PROXY: "yes", TOKEN_CACHE_MS: "6000" };
    const error = (() => {
      try {
        loadConfig(wrong);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(SettingsError);
    const { problems, message } = error as SettingsError;
    const names = problems.map((problem) => problem.split(" ")[0]);
    expect(names.sort()).toEqual(["DATABASE_URL", "PORT", "SECRET_KEY", "TOKEN_CACHE_MS", "TRUST_PROXY"]);
    expect(message).not.toContain("short-secret");
  });
});

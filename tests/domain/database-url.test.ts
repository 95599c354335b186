import { expect, test } from "vitest";
import { parseDatabaseUrl } from "@/lib/platform/db/database-url.mjs";

test("a URL with one host accepts any server", () => {
  const url = "postgresql://user:p%40ss@db.example.org/crosswalk?sslmode=verify-full";
  expect(parseDatabaseUrl(url)).toEqual({
    urls: [url],
    target: "any",
    place: "db.example.org:5432/crosswalk",
    name: "crosswalk",
    user: "user",
  });
});

test("each of several hosts gets its own URL, with the login, the database and the other parameters", () => {
  const url = "postgres://user:a@b,c@[::1]:5433,db2/cross%20walk?sslmode=no-verify&target_session_attrs=primary";
  expect(parseDatabaseUrl(url)).toEqual({
    urls: [
      "postgres://user:a%40b,c@[::1]:5433/cross%20walk?sslmode=no-verify",
      "postgres://user:a%40b,c@db2/cross%20walk?sslmode=no-verify",
    ],
    target: "primary",
    place: "[::1]:5433,db2:5432/cross walk",
    name: "cross walk",
    user: "user",
  });
});

test("several hosts require a server that accepts writes, unless the URL says otherwise", () => {
  expect(parseDatabaseUrl("postgresql://a,b/db").target).toBe("read-write");
  expect(parseDatabaseUrl("postgresql://a,b/db?target_session_attrs=any").target).toBe("any");
  expect(parseDatabaseUrl("postgresql://a/db?target_session_attrs=read-write").target).toBe("read-write");
});

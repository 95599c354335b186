// The client address that rate limits and the audit use, with and without a proxy.
import { expect, test } from "vitest";
import { clientAddress, PEER_HEADER } from "@/lib/platform/http/request";

Object.assign(process.env, { TRUST_PROXY: "true", PUBLIC_URL: "https://crosswalk.example.org" });

test.each([
  ["the one that the nearest proxy reports", "198.51.100.7, 203.0.113.9", "203.0.113.9"],
  ["the peer's if no proxy reports one", undefined, "127.0.0.1"],
  ["the peer's if the proxy reports an empty list", "", "127.0.0.1"],
  ["the peer's if the last entry is empty", "198.51.100.7, ", "127.0.0.1"],
])("the address is %s", (_what, forwarded, expected) => {
  const headers = new Map([[PEER_HEADER, "127.0.0.1"]]);
  if (forwarded !== undefined) headers.set("x-forwarded-for", forwarded);
  expect(clientAddress((name) => headers.get(name) ?? null)).toBe(expected);
});

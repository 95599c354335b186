// The addresses and URLs that webhooks may be sent to.
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, test } from "vitest";
import { addressProblem, resolvedProblem, targetProblem } from "@/lib/events/webhooks/addresses";
import { rounds } from "../support/rounds";

const SEED = Number(process.env.PROPERTY_SEED ?? Date.now() % 2 ** 31);
const RUNS = rounds(500);

const onlyPublic = { allowPrivate: false };
const alsoPrivate = { allowPrivate: true };

const PUBLIC = ["8.8.8.8", "1.1.1.1", "100.63.255.255", "172.32.0.1", "2606:4700::1111", "2a00:1450::1"];
const PUBLIC_INSIDE = ["::ffff:8.8.8.8", "64:ff9b::8.8.8.8"];
const PRIVATE = {
  "a loopback": ["127.0.0.1", "127.255.255.255", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"],
  "a private": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fdff::1", "::ffff:10.1.2.3"],
  "a carrier-grade NAT": ["100.64.0.1", "100.127.255.255"],
};
const NEVER = {
  "a link-local": [
    "169.254.0.1",
    "169.254.169.254",
    "fe80::1",
    "febf::1",
    "fe80::1%lo",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "64:ff9b::a9fe:a9fe",
  ],
  "a cloud metadata": [
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd20:ce::254",
    "::ffff:168.63.129.16",
    "64:ff9b::6464:64c8",
  ],
  "an unspecified": ["0.0.0.0", "0.1.2.3", "::", "::ffff:0.0.0.0"],
  "a multicast": ["224.0.0.1", "239.255.255.255", "ff02::1"],
  "a broadcast": ["255.255.255.255"],
  "a reserved": [
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.1",
    "198.18.0.1",
    "240.0.0.1",
    "192.88.99.1",
    "2001:db8::1",
    "3fff::1",
    "100::1",
    "fec0::1",
    "4000::1",
    "2001:2::1",
    "5f00::1",
    // Forms of an IPv4 address that are invalid for every receiver.
    "2002:808:808::",
    "2002:a9fe:a9fe::",
    "2001:0:4136:e378::1",
    "::ffff:0:808:808",
    "64:ff9b:1::a9fe:a9fe",
    "::8.8.8.8",
    "::808:808",
    "::127.0.0.1",
    "0:0:0:0:0:0:169.254.169.254",
  ],
};
const each = (kinds: Record<string, string[]>) =>
  Object.entries(kinds).flatMap(([kind, addresses]) => addresses.map((address) => [address, kind] as const));

describe("an address", () => {
  test.each([...PUBLIC, ...PUBLIC_INSIDE])("%s is public and allowed", (address) => {
    expect(addressProblem(address, onlyPublic)).toBeNull();
    expect(addressProblem(address, alsoPrivate)).toBeNull();
  });

  test.each(each(PRIVATE))("%s is %s address and allowed if private ones are", (address, kind) => {
    expect(addressProblem(address, onlyPublic)).toContain(
      `is ${kind} address; webhooks are only sent to public addresses.`,
    );
    expect(addressProblem(address, alsoPrivate)).toBeNull();
  });

  test.each(each(NEVER))("%s is %s address and never allowed", (address, kind) => {
    const problem = `is ${kind} address; webhooks are never sent there.`;
    expect(addressProblem(address, onlyPublic)).toContain(problem);
    expect(addressProblem(address, alsoPrivate)).toContain(problem);
  });

  test.each(["", "localhost", "example.com", "1.2.3", "0x7f.1", "[::1]", "1.1.1.1/32"])(
    "%j is not an address",
    (address) => {
      expect(addressProblem(address, alsoPrivate)).toBe(`${address} is not an IP address.`);
    },
  );

  test("is described with the IPv4 address inside it", () => {
    const text = "is a loopback address; webhooks are only sent to public addresses.";
    expect(addressProblem("127.0.0.1", onlyPublic)).toBe(`127.0.0.1 ${text}`);
    expect(addressProblem("::ffff:7f00:1", onlyPublic)).toBe(`::ffff:7f00:1 (127.0.0.1) ${text}`);
  });

  test("rejects all addresses of its host name if it is forbidden, and is not revealed", () => {
    expect(resolvedProblem(["8.8.8.8", "2606:4700::1111"], onlyPublic)).toBeNull();
    expect(resolvedProblem(["8.8.8.8", "10.0.0.5"], onlyPublic)).toBe(
      "The host name resolves to a private address; webhooks are only sent to public addresses.",
    );
    expect(resolvedProblem(["10.0.0.5", "what"], alsoPrivate)).toBe("The host name resolves to no IP address.");
  });
});

describe("the URL of a subscription", () => {
  test.each([
    "https://example.com",
    "https://example.com:8443/hooks?a=1",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
    "https://local.example.com./",
    "https://internal-hooks.example.com/",
  ])("%s is allowed", (url) => {
    expect(targetProblem(url, onlyPublic)).toBeNull();
    expect(targetProblem(url, alsoPrivate)).toBeNull();
  });

  test.each([
    ["http://example.com/", "Must be an https URL."],
    ["ftp://example.com/", "Must be an https URL."],
    ["javascript:alert(1)", "Must be an https URL."],
    ["/hooks", "Must be an absolute URL."],
    ["example.com/hooks", "Must be an absolute URL."],
    ["", "Must be an absolute URL."],
    ["https://", "Must be an absolute URL."],
    ["https://./", "Must be an absolute URL."],
    [" https://example.com/", "Must not contain spaces, line breaks or control characters."],
    ["https://exa\nmple.com/", "Must not contain spaces, line breaks or control characters."],
    ["https://example.com:99999/", "Must have a port of at most 65535."],
    ["https://example.com:65536", "Must have a port of at most 65535."],
    ["https://example.com:port/", "Must be an absolute URL."],
    ["https://me@example.com/", "Must not contain a user name or password."],
    ["https://me:secret@example.com/", "Must not contain a user name or password."],
    ["https://example.com/#top", "Must not have a fragment."],
    ["https://example.com/#", "Must not have a fragment."],
    [`https://example.com/${"a".repeat(1_981)}`, "Must have at most 2,000 characters after percent-encoding."],
    [`https://example.com/${"é".repeat(331)}`, "Must have at most 2,000 characters after percent-encoding."],
    // Short after parsing; the check must not parse megabytes to find out.
    [`https://example.com/${"./".repeat(991)}`, "Must have at most 2,000 characters after percent-encoding."],
  ])("%j is rejected: %s", (url, problem) => {
    expect(targetProblem(url, onlyPublic)).toBe(problem);
  });

  test("may have 2,000 characters", () => {
    expect(targetProblem(`https://example.com/${"a".repeat(1_980)}`, onlyPublic)).toBeNull();
    expect(targetProblem(`https://example.com/${"é".repeat(330)}`, onlyPublic)).toBeNull();
  });

  test("host names in any language are allowed, even after enough checks for the engine to compile the code", () => {
    const urls = ["https://hooks.example.org/", "https://bücher.example/"];
    const rejected = Array.from({ length: 50_000 }, (_, index) => urls[index % 2] ?? "").filter(
      (url) => targetProblem(url, onlyPublic) !== null,
    );
    expect(rejected).toEqual([]);
  });

  const loopback = [
    "https://127.0.0.1/",
    "https://127.0.0.1./",
    "https://127.0.0.1../",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://127.1/",
    "https://%31%32%37.0.0.1/",
    "https://１２７。0。0。1/",
    "https://[::1]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[64:ff9b::127.0.0.1]/",
  ];
  test.each(loopback)("%s is the loopback address", (url) => {
    expect(targetProblem(url, onlyPublic)).toMatch(
      / is a loopback address; webhooks are only sent to public addresses\.$/,
    );
    expect(targetProblem(url, alsoPrivate)).toBeNull();
  });

  test.each(["localhost", "LOCALHOST", "localhost.", "localhost..", "a.localhost", "printer.local.", "db.internal"])(
    "is local if the name is %s",
    (name) => {
      expect(targetProblem(`https://${name}/`, onlyPublic)).toMatch(
        /is a local name; webhooks are only sent to public addresses/,
      );
      expect(targetProblem(`https://${name}/`, alsoPrivate)).toBeNull();
    },
  );

  test("may be http only if private addresses are allowed", () => {
    expect(targetProblem("http://10.0.0.1:3000/", alsoPrivate)).toBeNull();
    expect(targetProblem("ftp://10.0.0.1/", alsoPrivate)).toBe("Must be an https or http URL.");
    expect(targetProblem("http://me@10.0.0.1/", alsoPrivate)).toBe("Must not contain a user name or password.");
  });
});

const hex = (number: number) => number.toString(16);
/** Lists ways to write an IPv4 address: as an address, and as the host of a URL. */
function formsOf(bytes: number[]): { addresses: string[]; hosts: string[] } {
  const [a, b, c, d] = bytes as [number, number, number, number];
  const dotted = bytes.join(".");
  const [high, low] = [hex(a * 256 + b), hex(c * 256 + d)];
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const addresses = [
    dotted,
    `::ffff:${dotted}`,
    `::ffff:${high}:${low}`,
    `0:0:0:0:0:FFFF:${high}:${low}`,
    `::${dotted}`,
    `::ffff:0:${dotted}`,
    `64:ff9b::${dotted}`,
    `64:ff9b::${high}:${low}`,
    `64:ff9b:1::${high}:${low}`,
    `2002:${high}:${low}::`,
    `2002:${high}:${low}::1`,
    `2001::${hex(0xffff ^ (a * 256 + b))}:${hex(0xffff ^ (c * 256 + d))}`,
  ];
  const hosts = [
    ...addresses.map((address) => (address.includes(":") ? `[${address}]` : address)),
    String(number),
    `0x${hex(number)}`,
    `0${number.toString(8)}`,
    bytes.map((byte) => `0${byte.toString(8)}`).join("."),
    bytes.map((byte) => `0x${hex(byte)}`).join("."),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${dotted}.`,
  ];
  return { addresses, hosts };
}

/** Generates an address in one of these ranges, as bytes. */
function addressIn(...ranges: string[]): fc.Arbitrary<number[]> {
  return fc.constantFrom(...ranges).chain((range) => {
    const [network, bits] = ipaddr.parseCIDR(range);
    const base = network.toByteArray();
    const spread = fc.uint8Array({ minLength: base.length, maxLength: base.length });
    const free = (index: number) => 0xff >> Math.min(8, Math.max(0, bits - index * 8));
    return spread.map((random) => base.map((byte, index) => byte | ((random[index] as number) & free(index))));
  });
}

describe(`in any spelling (seed ${SEED})`, () => {
  const options = { seed: SEED, numRuns: RUNS };

  test("no loopback, private or link-local IPv4 address is allowed", () => {
    const ranges = ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16"];
    const property = fc.property(addressIn(...ranges, "0.0.0.0/8"), (bytes) => {
      const { addresses, hosts } = formsOf(bytes);
      for (const address of addresses) expect(addressProblem(address, onlyPublic), address).not.toBeNull();
      for (const host of hosts) expect(targetProblem(`https://${host}/`, onlyPublic), host).not.toBeNull();
    });
    fc.assert(property, options);
  });

  test("no link-local or metadata address is allowed, even with private addresses", () => {
    const ranges = ["169.254.0.0/16", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32"];
    const property = fc.property(addressIn(...ranges), (bytes) => {
      const { addresses, hosts } = formsOf(bytes);
      for (const address of addresses) expect(addressProblem(address, alsoPrivate), address).not.toBeNull();
      for (const host of hosts) expect(targetProblem(`http://${host}/`, alsoPrivate), host).not.toBeNull();
    });
    fc.assert(property, options);
  });

  test("no loopback, unique local or link-local IPv6 address is allowed", () => {
    const property = fc.property(addressIn("fc00::/7", "fe80::/10", "::1/128", "::/128", "ff00::/8"), (bytes) => {
      const address = ipaddr.fromByteArray(bytes) as ipaddr.IPv6;
      for (const form of [address.toRFC5952String(), address.toNormalizedString(), address.toString().toUpperCase()]) {
        expect(addressProblem(form, onlyPublic), form).not.toBeNull();
        expect(targetProblem(`https://[${form}]/`, onlyPublic), form).not.toBeNull();
      }
    });
    fc.assert(property, options);
  });

  test("public addresses are allowed", () => {
    const property = fc.property(addressIn("8.0.0.0/8", "93.184.0.0/16", "2606:4700::/32", "2a00::/16"), (bytes) => {
      expect(addressProblem(ipaddr.fromByteArray(bytes).toString(), onlyPublic)).toBeNull();
    });
    fc.assert(property, options);
  });
});

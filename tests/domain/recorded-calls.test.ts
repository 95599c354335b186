// Recordings of real calls (a HAR file, access logs): which legacy endpoints are called, by which client, and with what.
import { expect, test } from "vitest";
import { MAX_WRITES, type Recording, readRecording } from "@/lib/migration/what-if/recorded-calls";

async function* inPieces(text: string, length = 7): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

const read = (text: string, length?: number): Promise<Recording> => readRecording(inPieces(text, length));
const use = (endpoint: string, agent: string | null, calls = 1) => ({ endpoint, agent, calls });

const COMBINED = [
  '203.0.113.9 - - [01/Oct/2025:10:00:00 +0000] "GET /api/2.0/patients/?limit=100 HTTP/1.1" 200 9120 "-" "Sync/2.1"',
  '203.0.113.9 - - [01/Oct/2025:10:00:01 +0000] "PUT /api/2.0/patients/7/ HTTP/1.1" 200 812 "-" "Sync/2.1"',
  '203.0.113.9 - - [01/Oct/2025:10:00:02 +0000] "PUT /api/2.0/patients/8 HTTP/1.1" 200 812 "-" "Sync/2.1"',
  '203.0.113.9 - - [01/Oct/2025:10:00:03 +0000] "GET /api/2.0/patients/7/policies HTTP/1.1" 200 812 "-" "Sync/2.1"',
  '203.0.113.9 - - [01/Oct/2025:10:00:04 +0000] "POST /api/2.0/patients/7/insurance_cards/ HTTP/1.1" 201 12 "-" "-"',
  "the log was rotated",
  "",
].join("\r\n");

test("an access log in the combined format names the caller and the call", async () => {
  expect(await read(COMBINED)).toEqual({
    uses: [
      use("patients.replace", "Sync/2.1", 2),
      use("patients.list", "Sync/2.1"),
      use("insurance_cards.create", null),
    ],
    writes: [],
    allWrites: 0,
    calls: 5,
    unread: 1,
  });
});

test("a log of JSON lines is read with the field names of any server, including bodies", async () => {
  const insurances = [{ rank: "primary", carrier: "Acme" }];
  const lines = [
    { request_method: "PATCH", request_uri: "/api/2.0/patients/7/", request_body: JSON.stringify({ insurances }) },
    { request: { method: "put", uri: "/api/2.0/patients/8", body: { insurances: [] } }, status: 200 },
    { request: "GET /api/2.0/patients/8/?x=1 HTTP/2.0", http_user_agent: "Sync/3" },
    { httpRequest: { requestMethod: "DELETE", requestUrl: "https://pm.example/api/2.0/patients/8/insurance_cards/" } },
    // A write without insurances.
    { method: "PATCH", path: "/api/2.0/patients/9", body: '{"notes":"called"}' },
    { method: "PATCH", path: "/api/2.0/patients/9", body: "not JSON" },
    // Logs do not record what was sent.
    { method: "POST", path: "/api/2.0/patients/", body: "-" },
    { level: "info", msg: "listening" },
  ];
  const { uses, writes, calls, unread } = await read(lines.map((line) => JSON.stringify(line)).join("\n"), 1_000);
  expect(uses).toEqual([
    use("patients.update", null),
    use("patients.replace", null),
    use("patients.get", "Sync/3"),
    use("insurance_cards.delete", null),
    use("patients.create", null),
  ]);
  expect(writes).toEqual([
    { method: "PATCH", patient: 7, body: { insurances } },
    { method: "PUT", patient: 8, body: { insurances: [] } },
  ]);
  expect([calls, unread]).toEqual([7, 1]);
});

test("writes in a HAR file are read with their bodies; other entries are skipped", async () => {
  const headers = [{ name: "user-agent", value: "Portal" }];
  const url = "https://pm.example.org/api/2.0/patients/7/";
  const entries = [
    { request: { method: "PUT", url, headers, postData: { text: '{"insurances":[]}' } } },
    { request: { method: "GET", url, headers } },
    {},
    null,
  ];
  expect(await read(JSON.stringify({ log: { version: "1.2", entries } }, null, 1))).toEqual({
    uses: [use("patients.replace", "Portal"), use("patients.get", "Portal")],
    writes: [{ method: "PUT", patient: 7, body: { insurances: [] } }],
    allWrites: 1,
    calls: 2,
    unread: 2,
  });
});

test("all writes are counted, but only the first of very many can be selected", async () => {
  const line = `${JSON.stringify({ method: "PUT", path: "/api/2.0/patients/7", body: '{"insurances":[]}' })}\n`;
  const { writes, allWrites, uses } = await read(line.repeat(MAX_WRITES + 3), 5_000);
  expect([writes.length, allWrites, uses]).toEqual([
    MAX_WRITES,
    MAX_WRITES + 3,
    [use("patients.replace", null, MAX_WRITES + 3)],
  ]);
});

test.each([
  ["", /contains no calls/],
  ["name,dob\nAda,1980-01-01\n", /contains no calls/],
  ['{"log": {"version": "1.2", "creator": {"name": "a browser"}}}', /contains no calls/],
  ['{"log": {"version": "1.2", "creator": {"name": "a browser", "version": "1"}, "entr', /incomplete or damaged/],
])("a file that is not a recording is rejected with a message: %j", async (text, message) => {
  await expect(read(text)).rejects.toThrow(message);
});

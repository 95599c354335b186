// The words of the staff side are in messages modules (ADR 0214), and the guard finds words that are not.
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readSources } from "@/tests/support/structure";
import { wordsAreInMessages } from "@/tests/support/text-literals";

const sources = readSources(path.resolve(import.meta.dirname, "../.."));

describe("words are in messages", () => {
  test("in the whole project", () => {
    expect(wordsAreInMessages(sources)).toEqual([]);
  });
});

test.each([
  "<p>Archive policy</p>",
  "<p>{count} policies</p>",
  '<p>{"Archive policy"}</p>',
  "<p>{isOpen ? `Close` : text.open}</p>",
  `<p>{isOpen && \`of \${count}\`}</p>`,
  '<Section title="Policies" />',
  '<Pager noun="events" />',
  '<Field label={isNew ? "new" : text.old} />',
  '<Field label={name ?? "new"} />',
  `<Field help={\`Optional, such as \${code}\`} />`,
  '<Field unknown="Not entered" />',
  '<button aria-label="Close" />',
  'const columns = [{ id: "name", header: "Name" }];',
  'const STATES = { create: "Created" };',
  'const result = { kind: "good", text: "Sent now" };',
  'toast.success("saved");',
  `toast.error(\`failed: \${error}\`);`,
  'pluralize(count, "policy", "policies");',
  'const name = () => "The day is before the first";',
])("the guard rejects %s", (line) => {
  expect(wordsAreInMessages(new Map([["components/things/thing.tsx", line]]))).not.toEqual([]);
});

test.each([
  ["components/things/thing.tsx", "<p>{text.title} · {text.count(3)}: —</p>"],
  ["components/things/thing.tsx", '<Input name="name" type="text" className="grid Gap-2" pattern="[A-Z ]" />'],
  ["components/things/thing.tsx", `<a key={\`\${id} \${version}\`} href={\`/practices/\${id}\`}>{name}</a>`],
  ["components/things/thing.tsx", 'throw new Error("useThings must be used inside Things");'],
  ["components/things/messages.ts", 'export const page = { title: "All things" };'],
  ["components/things/messages/page.tsx", "export const lead = <p>All things</p>;"],
  ["lib/things/rules.ts", 'const title = "All things";'],
  ["app/api/staff/things/route.ts", 'const summary = "List all things";'],
])("the guard accepts %s %s", (file, line) => {
  expect(wordsAreInMessages(new Map([[file, line]]))).toEqual([]);
});

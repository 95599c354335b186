// JSON bodies within the size limit that would take seconds to parse are rejected before they are parsed.
import { expect, test } from "vitest";
import { z } from "zod";
import { json } from "@/lib/platform/http/body";

const read = (text: string) =>
  json(z.object({ a: z.unknown() })).read(
    new Request("http://localhost/", { method: "POST", headers: { "content-type": "application/json" }, body: text }),
  );

test.each<[string, string]>([
  ["empty objects", `{"a": [${"{},".repeat(5_000_000)}{}]}`],
  ["nested empty lists", `{"a": ${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`],
  ["fields", `{"a": 1${',"b":1'.repeat(1_000_000)}}`],
])("millions of %s are rejected", async (_what, text) => {
  await expect(read(text)).rejects.toMatchObject({
    fields: { non_field_errors: ["The body has more than 200000 values."] },
  });
});

test("quotes and brackets inside a string do not count", async () => {
  const text = '\\",[{\\\\'.repeat(500_000);
  const { value } = await read(`{"a": "${text}"}`);
  expect((value as { a: string }).a).toHaveLength(5 * 500_000);
});

// Compares query parameters with the contract table: missing ones, required ones, and different enumerations.
import { expect, test } from "vitest";
import { z } from "zod";
import type { Parameter } from "@/lib/api/openapi/schema";
import { reasonFor } from "@/scripts/lib/contract-reasons";
import { differences } from "@/scripts/lib/contract-schema";
import { compareParameters } from "@/scripts/lib/contract-table";

const ours: Parameter[] = [
  { name: "patient", in: "query", schema: { type: "integer" } },
  { name: "rank", in: "query", required: true, schema: { type: "integer" } },
  { name: "status", in: "query", schema: { type: "array", items: { type: "string", enum: ["Active", "Resolved"] } } },
];

test.each([
  ["is as there", [{ name: "patient" }, { name: "status", enum: ["Resolved", "Active"] }], []],
  ["is missing", [{ name: "practice" }], [{ at: "?practice", problem: "is missing" }]],
  ["is required there", [{ name: "patient", required: true }], [{ at: "?patient", problem: "is not required" }]],
  ["is required here", [{ name: "rank" }], [{ at: "?rank", problem: "is required" }]],
  [
    "takes other words",
    [{ name: "status", items: { enum: ["Active", "Controlled"] } }],
    [
      { at: "?status", problem: "lacks Controlled" },
      { at: "?status", problem: "also has Resolved" },
    ],
  ],
  ["takes any words", [{ name: "patient", enum: ["1"] }], [{ at: "?patient", problem: "lacks 1" }]],
])("a parameter that %s", (_what, contract, expected) => {
  expect(compareParameters(contract, ours)).toEqual(expected);
});

test("reasons are found by the words of the comparison", () => {
  const nullable = z.object({ deleted_date: z.string().nullable(), created_date: z.string() });
  const facts = { fields: { deleted_date: { type: "string" }, created_date: { type: "string", nullable: true } } };
  const found = differences(nullable, facts, { named: {}, io: "output" });
  expect(found.map(({ at }) => at)).toEqual(["deleted_date", "created_date"]);
  const [state = { at: "", problem: "" }] = compareParameters(
    [{ name: "status", items: { enum: ["Active"] } }],
    [{ name: "status", in: "query", schema: { type: "string", enum: ["Active", "pending"] } }],
  );
  const places = found.map(({ at, problem }) => ({ resource: "reports_of_tests", at: `response ${at}`, problem }));
  for (const difference of [...places, { ...state, resource: "incoming_files", at: "?process_state" }])
    expect([difference, reasonFor(difference)]).toEqual([difference, expect.any(String)]);
});

// The errors of the API in the words of staff pages.
import { expect, test } from "vitest";
import { toCallError } from "@/components/session/response-error";
import { absentRecords } from "@/lib/platform/errors";

test("a record that no longer exists is named without the wording for API clients", () => {
  const body = { insurance_plan: absentRecords(7), member_id: ["Must have at most 50 characters."] };
  expect(toCallError(400, JSON.stringify(body)).fields).toEqual({
    insurance_plan: ["This record no longer exists. Choose another one."],
    member_id: body.member_id,
  });
});

// The contract of an operation: all that each operation of the API promises, in one test per operation.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { snapshot } from "../snapshot";
import * as access from "./access";
import * as bodies from "./bodies";
import { behavesAsDescribed } from "./described-behavior";
import { type Group, isFirstOfPath, type Operation, operationsOf } from "./operations";
import * as paths from "./paths";
import { openSetting, type Setting } from "./setting";

type Promised = readonly [name: string, verify: (operation: Operation, setting: Setting) => Promise<void>];

/** Lists what an operation promises to reject. None of these requests may store anything. */
function rejectionsOf(operation: Operation): Promised[] {
  const { method, path, resource, declaration, isPublic } = operation;
  const schema = bodies.bodySchemaOf(operation);
  const isList = method === "GET" && path === resource && access.PRACTICE_RESOURCES.includes(resource);
  const promised: [applies: boolean, ...Promised][] = [
    [method !== "DELETE", "ignores a trailing slash", paths.ignoresTrailingSlash],
    [isFirstOfPath(operation), "rejects other methods", paths.rejectsOtherMethods],
    [!isPublic, "requires credentials", access.requiresCredentials],
    [!isPublic, "requires its scope alone", access.requiresItsScopeAlone],
    [access.namesRecord(operation), "hides records of others", access.hidesRecordsOfOthers],
    [path.includes("[policy_id]"), "finds policies of the patient alone", access.findsPoliciesOfThePatientAlone],
    [isList, "lists no record of others", access.listsNoRecordOfOthers],
    [path.includes("["), "treats malformed IDs as unknown", paths.treatsMalformedIdsAsUnknown],
    [!isPublic && Boolean(declaration.query), "rejects a wrong query by name", paths.rejectsWrongQueryByName],
    [!isPublic && method !== "GET", "takes or rejects dry runs", paths.takesOrRejectsDryRun],
    [!isPublic && method !== "GET" && !declaration.conditional, "rejects If-Match", paths.rejectsIfMatch],
  ];
  if (schema) {
    promised.push(
      [true, "rejects other media types", bodies.rejectsOtherMediaTypes],
      [true, "rejects malformed JSON", bodies.rejectsMalformedJson],
      [true, "rejects large bodies", bodies.rejectsLargeBodies],
      [true, "rejects other kinds of body", (one, setting) => bodies.rejectsOtherKindsOfBody(one, setting, schema)],
      [true, "rejects wrong values by name", (one, setting) => bodies.rejectsWrongValuesByName(one, setting, schema)],
    );
  }
  return promised.filter(([applies]) => applies).map(([, name, verify]) => [name, verify]);
}

/** Verifies one promise of an operation; a failure names the promise. */
async function verifyPromise([name, verify]: Promised, operation: Operation, setting: Setting): Promise<void> {
  try {
    await verify(operation, setting);
  } catch (error) {
    if (error instanceof Error) error.message = `${name}: ${error.message}`;
    throw error;
  }
}

/** Registers one test for each operation of a group. */
export function testOperations(group: Group): void {
  const operations = operationsOf(group);
  process.env.TOKEN_CACHE_MS = "0";
  process.env.MAX_BODY_BYTES = String(bodies.MAX_BODY_BYTES);
  let setting: Setting;

  beforeAll(async () => {
    setting = await openSetting(operations);
  });
  afterAll(() => setting?.close());

  describe("contract of", () => {
    test.each(operations.map((operation) => [operation.method, operation.path, operation] as const))(
      "%s %s",
      async (_method, path, operation) => {
        const before = await snapshot();
        for (const promised of rejectionsOf(operation)) await verifyPromise(promised, operation, setting);
        expect(await snapshot(), "rejected requests stored something").toEqual(before);
        if (!path.startsWith("oauth2/"))
          await verifyPromise(["behaves as described", behavesAsDescribed], operation, setting);
      },
      120_000,
    );
  });
}

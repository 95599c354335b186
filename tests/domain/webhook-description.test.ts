// Webhooks match the API description, in body and headers.
import Ajv2020 from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { describeApi } from "@/lib/api/openapi/document";
import type { Parameter } from "@/lib/api/openapi/schema";
import { startWebhooks } from "@/lib/background/webhooks";
import type { Background } from "@/lib/platform/jobs/background";
import { type Basics, call, seedBasics, seedPatient } from "../support/api";
import { type ReceivedWebhook, ReceiverProcess } from "../support/receiver-process";
import { createListener, eventually } from "../support/webhook-clients";

process.env.WEBHOOK_ALLOW_PRIVATE = "true";

let basics: Basics;
let receiver: ReceiverProcess;
let delivery: Background;
beforeAll(async () => {
  basics = await seedBasics();
  receiver = await ReceiverProcess.start();
  delivery = startWebhooks();
});
afterAll(async () => {
  await delivery.stop();
  await receiver.stop();
});

const document = describeApi(apiRoutes);

/** Lists the differences between a webhook and the description. */
function listDifferences(resource: string, { body, headers }: Pick<ReceivedWebhook, "body" | "headers">): string[] {
  const { requestBody, parameters = [] } = document.webhooks?.[resource]?.post ?? {};
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  addFormats.default(ajv);
  const { schema } = requestBody?.content["application/json"] ?? {};
  const validate = ajv.compile({ ...schema, components: document.components });
  const described = parameters.map((one) =>
    "$ref" in one ? document.components.parameters[one.$ref.split("/").at(-1) as string] : one,
  ) as Parameter[];
  const wrong = described.filter(({ name, schema }) => !ajv.validate(schema, headers[name])).map(({ name }) => name);
  const own = Object.keys(headers).filter((name) => /^(webhook|x)-/.test(name));
  const unknown = own.filter((name) => !described.some((header) => header.name === name));
  return [...(validate(JSON.parse(body)) ? [] : [ajv.errorsText(validate.errors)]), ...wrong, ...unknown];
}

const write = (method: string, path: string, body?: object) => call(method, path, { token: basics.token, body });
const patient = () => seedPatient(basics.enabled, basics.physicians.enabled);
const company = async () =>
  (await write("POST", "insurance_companies", { practice: basics.enabled, carrier: "Acme" })).body.id;

test.each<[string, () => Promise<unknown>]>([
  ["patients", async () => write("PATCH", `patients/${await patient()}`, { sex: "Male" })],
  ["physicians", () => write("PATCH", `physicians/${basics.physicians.enabled}`, { credentials: "MD" })],
  ["practices", () => write("PATCH", `practices/${basics.enabled}`, { city: "Salem" })],
  ["insurance_companies", company],
  [
    "insurance_plans",
    async () =>
      write("POST", "insurance_plans", { practice: basics.enabled, insurance_company: await company(), name: "Gold" }),
  ],
  ["allergies", async () => write("POST", "allergies", { patient: await patient(), name: "Penicillin" })],
  ["patients", async () => write("DELETE", `patients/${await patient()}`)],
])("a webhook of %s matches the description", async (resource, change) => {
  const path = `/${resource}-${Math.random()}`;
  await createListener(basics, `${receiver.origins[0]}${path}`, resource);
  await change();
  const request = await eventually(async () => (await receiver.requests(path))[0] ?? null);
  expect(listDifferences(resource, request)).toEqual([]);
  const payload = JSON.parse(request.body);
  for (const other of [
    { ...payload, more: 1 },
    { ...payload, data: { id: "1" } },
    { ...payload, event_id: null },
  ])
    expect(listDifferences(resource, { ...request, body: JSON.stringify(other) })).not.toEqual([]);
  expect(listDifferences(resource, { ...request, headers: { ...request.headers, "webhook-id": "1" } })).toEqual([
    "webhook-id",
  ]);
});

test("any 2xx accepts a webhook, and other responses are described as retried", () => {
  const { patients } = document.webhooks ?? {};
  expect(Object.keys(patients?.post.responses ?? {})).toEqual(["2XX", "default"]);
});

import { z } from "zod";
import { subscriptionInput } from "@/lib/events/subscriptions/schema";
import { WEBHOOK_HEADERS, webhookPayload } from "@/lib/events/webhooks/schema";
import { pascal, type SchemaNames } from "./components";
import { toJsonSchema } from "./json-schema";
import { groupOfResource, type Route } from "./operation";
import type { Operation, Parameter } from "./schema";

/** What is sent to those who subscribed, by resource (OpenAPI 3.1 §4.8.1, design §8). */
export function describeWebhooks(routes: readonly Route[], names: SchemaNames): Record<string, { post: Operation }> {
  const { properties = {} } = toJsonSchema(subscriptionInput, "in");
  const resources = properties.resource?.enum ?? [];
  return Object.fromEntries(
    resources
      .map(String)
      .map((resource) => [resource, { post: describeWebhook(resource, recordOf(resource, routes), names) }]),
  );
}

/** The form a resource's records have where GET answers them; some are answered by no path of their own. */
function recordOf(resource: string, routes: readonly Route[]): z.ZodType {
  const record = new RegExp(`^${resource}/\\[\\w+\\]$`);
  const found = routes.find(({ method, path }) => method === "GET" && record.test(path));
  return found?.declaration.response ?? z.looseObject({});
}

function describeWebhook(resource: string, record: z.ZodType, names: SchemaNames): Operation {
  const payload = webhookPayload(resource, record).meta({ title: `${pascal(resource)}Webhook` });
  return {
    operationId: `webhook_${resource.replaceAll(/\W/g, "_")}`,
    summary: `A record of ${resource.replaceAll(/[_-]/g, " ")} was saved or deleted`,
    description: DESCRIPTION,
    tags: [groupOfResource(resource)],
    security: [],
    parameters: Object.entries(WEBHOOK_HEADERS).map(([name, header]): Parameter => {
      const { description = "", ...schema } = toJsonSchema(header, "out");
      return { name, in: "header", required: true, description, schema };
    }),
    requestBody: {
      required: true,
      content: { "application/json": { schema: names.name(toJsonSchema(payload, "out"), "out") } },
    },
    responses: ANSWERS,
  };
}

const DESCRIPTION =
  "Sent to the `target` of each subscription on the resource, when another client, the staff or an import changed the record. Keep it, answer, then work; the same event may arrive twice. The guide: [/docs/guides/webhooks](/docs/guides/webhooks).";

/** What the receiver's answer means. */
const ANSWERS: Operation["responses"] = {
  "2XX": {
    description: "You have it: sets `processed_date` and `status_code` of the event. The body is thrown away.",
  },
  default: {
    description:
      "Anything else, a redirect, or no complete answer within 10 seconds is a failure: the event is sent again with the same `webhook-id`, for 72 hours.",
  },
};

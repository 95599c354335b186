import { z } from "zod";
import type { Declaration, Shape } from "./handler";

/** One thing a write does to a policy, as a dry run tells it (design §4). */
const effect = z
  .object({
    kind: z.string(),
    policy: z.int(),
    rank: z.int().nullable(),
    card_images: z.int(),
    changed_fields: z.array(z.string()),
  })
  .meta({ title: "Effect" });

type Described = Pick<Declaration<Shape, Shape, unknown>, "query" | "response" | "status">;

/** Whether an endpoint can be asked what it would do. */
export function offersDryRun({ query }: Pick<Described, "query">): boolean {
  return query !== undefined && "dry_run" in query;
}

/** The shape of what an endpoint answers where all went well: undefined where that has no body. */
export function answerOf({ status, response }: Described): z.ZodType | undefined {
  return status === 204 ? undefined : response;
}

/** The shape of the answer to a dry run (200): what would happen, and what the real answer would have held. */
export function dryRunAnswerOf({ response }: Pick<Described, "response">): z.ZodType {
  const answer = z.object({ effects: z.array(effect), result: response ? response.nullable() : z.null() });
  return answer.meta({ title: `${titleOf(response)}DryRun` });
}

function titleOf(schema: z.ZodType | undefined): string {
  if (schema instanceof z.ZodArray) return `${titleOf(schema.element as z.ZodType)}List`;
  return schema?.meta()?.title ?? "";
}

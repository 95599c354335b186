import { z } from "zod";
import type { Declaration, Shape } from "./declaration";

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

/** Headers of answers that only some endpoints have. */
export const RESPONSE_HEADERS = [
  "Location",
  "ETag",
  "Sync-Status",
  "Deprecation",
  "Sunset",
  "Link",
  "Link-Template",
  "Content-Disposition",
] as const;
export type ResponseHeader = (typeof RESPONSE_HEADERS)[number];

/** They name a record or a version, which a dry run does not make. */
const OF_REAL_RECORDS: ReadonlySet<ResponseHeader> = new Set(["Location", "ETag"]);

/**
 * The headers an endpoint's answer may have where all went well: `always` those it has without exception. The others are
 * there where there is something to say.
 */
export function responseHeaders(
  declared: Pick<Declaration<Shape, Shape, unknown>, "headers" | "query" | "produces">,
  { dryRun }: { dryRun: boolean },
): { may: readonly ResponseHeader[]; always: readonly ResponseHeader[] } {
  const { headers = [], produces } = declared;
  const own = headers.filter((name) => !dryRun || !OF_REAL_RECORDS.has(name));
  const follow: ResponseHeader[] = [
    ...(offersDryRun(declared) ? ["Sync-Status" as const] : []),
    ...(produces ? ["Content-Disposition" as const] : []),
  ];
  const always = own.filter((name) => OF_REAL_RECORDS.has(name));
  return { may: [...new Set([...own, ...follow])], always };
}

type Described = Pick<Declaration<Shape, Shape, unknown>, "query" | "response" | "status">;

/** Whether an endpoint can be asked what it would do. */
export function offersDryRun({ query }: Pick<Described, "query">): boolean {
  return query !== undefined && "dry_run" in query;
}

/** The shape of what an endpoint answers where all went well: undefined where that has no body. */
export function responseSchema({ status, response }: Described): z.ZodType | undefined {
  return status === 204 ? undefined : response;
}

/** The shape of the answer to a dry run (200): what would happen, and what the real answer would have held. */
export function dryRunResponseSchema({ response }: Pick<Described, "response">): z.ZodType {
  const answer = z.object({ effects: z.array(effect), result: response ? response.nullable() : z.null() });
  return answer.meta({ title: `${titleOf(response)}DryRun` });
}

function titleOf(schema: z.ZodType | undefined): string {
  if (schema instanceof z.ZodArray) return `${titleOf(schema.element as z.ZodType)}List`;
  return schema?.meta()?.title ?? "";
}

import { z } from "zod";
import type { Declaration, Shape } from "./declaration";

/** One effect of a write on a policy, as dry runs list it (design §4). */
const effect = z
  .object({
    kind: z.string(),
    policy: z.int(),
    rank: z.int().nullable(),
    card_images: z.int(),
    changed_fields: z.array(z.string()),
  })
  .meta({ title: "Effect" });

/** Response headers that only some endpoints have. */
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

/** Headers that name a record or version. A dry run creates neither. */
const RECORD_HEADERS: ReadonlySet<ResponseHeader> = new Set(["Location", "ETag"]);

/** Returns the headers a successful response may have, and those it always has. */
export function responseHeaders(
  declared: Pick<Declaration<Shape, Shape, unknown>, "headers" | "query" | "produces">,
  { dryRun }: { dryRun: boolean },
): { may: readonly ResponseHeader[]; always: readonly ResponseHeader[] } {
  const { headers = [], produces } = declared;
  const own = headers.filter((name) => !dryRun || !RECORD_HEADERS.has(name));
  const follow: ResponseHeader[] = [
    ...(offersDryRun(declared) ? ["Sync-Status" as const] : []),
    ...(produces ? ["Content-Disposition" as const] : []),
  ];
  const always = own.filter((name) => RECORD_HEADERS.has(name));
  return { may: [...new Set([...own, ...follow])], always };
}

type Responding = Pick<Declaration<Shape, Shape, unknown>, "query" | "response" | "status">;

/** Whether an endpoint takes `dry_run`. */
export function offersDryRun({ query }: Pick<Responding, "query">): boolean {
  return query !== undefined && "dry_run" in query;
}

/** Returns the schema of a successful response, or undefined if it has no body. */
export function responseSchema({ status, response }: Responding): z.ZodType | undefined {
  return status === 204 ? undefined : response;
}

/** Returns the schema of the response to a dry run (200): the effects, and what the real response would hold. */
export function dryRunResponseSchema({ response }: Pick<Responding, "response">): z.ZodType {
  const schema = z.object({ effects: z.array(effect), result: response ? response.nullable() : z.null() });
  return schema.meta({ title: `${schemaTitle(response)}DryRun` });
}

function schemaTitle(schema: z.ZodType | undefined): string {
  if (schema instanceof z.ZodArray) return `${schemaTitle(schema.element as z.ZodType)}List`;
  return schema?.meta()?.title ?? "";
}

import { z } from "zod";

/** What a write does to a policy, as its version records it. */
export const VERSION_KINDS = [
  "created",
  "updated",
  "archived",
  "restored",
  "card_image_added",
  "card_image_removed",
  "card_images_moved",
] as const;

/** One effect of a write on a policy, as dry runs list it. */
export const policyEffect = z
  .object({
    kind: z
      .enum([...VERSION_KINDS, "removed"])
      .describe("The `kind` of the version that the write would add. `removed` is a permanent deletion."),
    policy: z.int().describe("The ID of the policy. The real write gives a new policy another ID."),
    rank: z.int().min(1).max(3).nullable().describe("The rank after the write."),
    card_images: z.int().describe("The number of card images after the write."),
    changed_fields: z
      .array(z.string())
      .describe(
        "The `rank`, patient and insurance fields that the write would change. For a new policy, all of these that have a value.",
      ),
  })
  .meta({ title: "Effect" });

export type PolicyEffect = z.output<typeof policyEffect>;

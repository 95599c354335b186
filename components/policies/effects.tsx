import { pluralize } from "@/components/ui/format";
import { rankLabel } from "./fields";
import type { Effect } from "./use-policy";

interface EffectsProps {
  effects: readonly Effect[];
  /** Names a policy. */
  nameOf: (policy: number) => string;
  /** Returns a policy's current rank; undefined if unknown. */
  rankOf?: (policy: number) => number | null | undefined;
}

/** Lists the effects of a write, one sentence each. */
export function Effects({ effects, nameOf, rankOf }: EffectsProps) {
  const sentences = effects.map((effect) => describeEffect(effect, nameOf(effect.policy), rankOf?.(effect.policy)));
  if (sentences.length === 0) return <p>Nothing would change.</p>;
  return (
    <ul className="list-disc space-y-1 pl-5">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

function describeEffect({ kind, rank, card_images }: Effect, name: string, before: number | null | undefined): string {
  const place = rank === null ? "without a rank" : `as ${rankLabel(rank).toLowerCase()}`;
  const images = card_images === 0 ? "" : `, with ${pluralize(card_images, "card image")}`;
  if (kind === "restored") return `${name} becomes active again ${place}${images}.`;
  if (kind === "archived") return `${name} is archived. Its history and card images are kept.`;
  if (kind === "created") return `${name} is added ${place}.`;
  if (kind === "removed") return `${name} is deleted permanently.`;
  if (before === undefined || before === rank) return `${name} stays ${place} and is updated.`;
  const now = rank === null ? "loses its rank" : `becomes ${rankLabel(rank).toLowerCase()}`;
  return before === null ? `${name} ${now}.` : `${name}, now ${rankLabel(before).toLowerCase()}, ${now}.`;
}

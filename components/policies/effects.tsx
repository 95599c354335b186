import { counted } from "@/components/ui/amounts";
import { rankWord } from "./fields";
import type { Effect } from "./use-policy";

/** What a write will do, sentence by sentence. `nameOf` says how a policy is spoken of. */
export function Effects({ effects, nameOf }: { effects: readonly Effect[]; nameOf: (policy: number) => string }) {
  const sentences = effects.map((effect) => sentenceOf(effect, nameOf(effect.policy)));
  if (sentences.length === 0) return <p>Nothing would change.</p>;
  return (
    <ul className="list-disc space-y-1 pl-5">
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

function sentenceOf({ kind, rank, card_images }: Effect, name: string): string {
  const place = rank === null ? "without a rank" : `as ${rankWord(rank).toLowerCase()}`;
  const images = card_images === 0 ? "" : `, with ${counted(card_images, "card image")}`;
  if (kind === "restored") return `${name} becomes active again ${place}${images}.`;
  if (kind === "archived") return `${name} is archived. Its history and card images are kept.`;
  if (kind === "created") return `${name} is added ${place}.`;
  if (kind === "removed") return `${name} is deleted permanently.`;
  return `${name} stays ${place} and is updated.`;
}

"use client";

import { useMutation } from "@tanstack/react-query";
import { Trash2, Upload } from "lucide-react";
import dynamic from "next/dynamic";
import { useRef, useState } from "react";
import { placeInWords, sizeInWords } from "@/components/policies/cards/card-labels";
import { rankWord } from "@/components/policies/fields";
import { CallError, staffCall } from "@/components/session/staff-call";
import { Button, IconButton } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { Notice } from "@/components/ui/status";
import { useToasts } from "@/components/ui/toasts";
import type { PatientPage } from "@/lib/policies/patient-page-queries";
import { Thumbnail } from "./policy-card";
import { type LegacyCard, patientPath } from "./use-patient";

const CardViewer = dynamic(() => import("@/components/policies/cards/card-viewer").then((m) => m.CardViewer), {
  ssr: false,
});

interface CardsProps {
  practice: number;
  data: PatientPage;
  refresh: () => Promise<PatientPage>;
  canWrite: boolean;
}

/** The card images of each priority, front and back, as clients without policies know them. */
export function LegacyCards({ practice, data, refresh, canWrite }: CardsProps) {
  const path = `${patientPath(practice, data.patient.id)}/legacy-cards`;
  const call = { path, refresh, canWrite };
  return (
    <div className="border-line bg-raised rounded-md border">
      {[1, 2, 3].map((rank) => (
        <Priority key={rank} rank={rank} cards={data.cards.filter((card) => card.rank === rank)} {...call} />
      ))}
    </div>
  );
}

interface Calls {
  path: string;
  refresh: () => Promise<PatientPage>;
  canWrite: boolean;
}

function Priority({ rank, cards, ...calls }: Calls & { rank: number; cards: readonly LegacyCard[] }) {
  const [large, setLarge] = useState<number | null>(null);
  const sides = [...new Set([1, 2, ...cards.map(({ image_rank }) => image_rank)])];
  return (
    <section aria-label={`${rankWord(rank)} card`} className="border-line border-b px-3 py-2 last:border-0">
      <h3 className="mb-1.5 font-medium">{rankWord(rank)}</h3>
      <div className="flex flex-col gap-2">
        {sides.map((side) => {
          const at = cards.findIndex(({ image_rank }) => image_rank === side);
          return <Side key={side} rank={rank} side={side} card={cards[at]} onView={() => setLarge(at)} {...calls} />;
        })}
      </div>
      {large !== null && (
        <CardViewer images={cards} start={large} of={`${rankWord(rank)} card`} onClose={() => setLarge(null)} />
      )}
    </section>
  );
}

interface SideProps extends Calls {
  rank: number;
  side: number;
  card: LegacyCard | undefined;
  onView: () => void;
}

function Side({ rank, side, card, onView, path, refresh, canWrite }: SideProps) {
  const [isRemoving, setRemoving] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const say = useToasts();
  const what = `${placeInWords(side).toLowerCase()} of the ${rankWord(rank).toLowerCase()} card`;
  const upload = useMutation({
    mutationFn: (image: File) => {
      const body = new FormData();
      body.set("rank", String(rank));
      body.set("side", String(side));
      body.set("image", image);
      return staffCall(path, { method: "POST", body });
    },
    onSuccess: async () => {
      say.done(`The ${what} is saved.`);
      await refresh().catch(() => {});
    },
    onError: (error) => setProblem(wordsOf(error)),
  });
  const remove = useMutation({
    mutationFn: () => staffCall(`${path}?rank=${rank}&side=${side}`, { method: "DELETE" }),
    onSuccess: async () => {
      setRemoving(false);
      say.done(`The ${what} is removed.`);
      await refresh().catch(() => {});
    },
  });
  const pick = (image: File | undefined) => {
    if (!image) return;
    const wrong = problemOf(image);
    setProblem(wrong);
    if (!wrong) upload.mutate(image);
  };
  return (
    <div>
      <div className="flex items-center gap-2">
        {card ? (
          <button
            key={card.sha256}
            type="button"
            aria-label={`View ${what}`}
            onClick={onView}
            className="border-line hover:border-edge shrink-0 rounded-md border"
          >
            <Thumbnail image={card} />
          </button>
        ) : (
          <span className="border-line text-soft grid h-14 w-22 shrink-0 place-items-center rounded-md border border-dashed text-sm">
            None
          </span>
        )}
        <span className="min-w-0 flex-1">{placeInWords(side)}</span>
        {canWrite && (
          <span className="screen-only flex gap-1">
            <input
              ref={input}
              type="file"
              accept="image/jpeg,image/png"
              aria-label={`Image for the ${what}`}
              tabIndex={-1}
              className="sr-only"
              onChange={(event) => {
                pick(event.target.files?.[0]);
                event.target.value = "";
              }}
            />
            <Button
              size="small"
              busy={upload.isPending}
              aria-label={`${card ? "Replace" : "Upload"} ${what}`}
              onClick={() => input.current?.click()}
            >
              {!upload.isPending && <Upload aria-hidden className="size-3.5" />} {card ? "Replace" : "Upload"}
            </Button>
            {card && (
              <IconButton label={`Remove ${what}`} onClick={() => setRemoving(true)}>
                <Trash2 aria-hidden className="size-4" />
              </IconButton>
            )}
          </span>
        )}
      </div>
      {problem && (
        <div className="mt-1.5">
          <Notice tone="bad" live>
            {problem}
          </Notice>
        </div>
      )}
      {isRemoving && (
        <Dialog
          open
          onClose={() => setRemoving(false)}
          title={`Remove the ${what}?`}
          description="It is no longer shown here or to clients. It stays in the history, but can't be put back from this page."
          footer={
            <>
              <Button onClick={() => setRemoving(false)}>Cancel</Button>
              <Button kind="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
                Remove image
              </Button>
            </>
          }
        >
          {remove.error && (
            <Notice tone="bad" live title="The image was not removed">
              {wordsOf(remove.error)}
            </Notice>
          )}
        </Dialog>
      )}
    </div>
  );
}

/** As the server's limit. */
const MOST_BYTES = 10 * 1024 * 1024;

function problemOf({ type, size }: File): string | null {
  if (type !== "image/jpeg" && type !== "image/png") {
    return "This is no JPEG or PNG image. Nothing was uploaded; take a photo of the card or save it as JPEG.";
  }
  if (size <= MOST_BYTES) return null;
  return `This image has ${sizeInWords(size)}; 10 MB is the most. Nothing was uploaded; choose a smaller one.`;
}

function wordsOf(error: Error): string {
  if (!(error instanceof CallError)) return error.message;
  if (error.code === "policy_id_required")
    return "Insurance Versioning was enabled for this practice. Nothing was saved; add card images on the policy.";
  if (error.code === "legacy_insurances_deprecated")
    return "The practice's deadline for legacy insurances is enforced: cards by priority can't be changed any more.";
  const [first] = Object.values(error.fields);
  if (first) return `The image ${(first[0] ?? "").replace(/^I/, "i")} Nothing was saved.`;
  return error.message;
}

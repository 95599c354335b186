"use client";

import { useEffect, useEffectEvent, useRef, useState } from "react";
import { CallError } from "@/components/session/call-error";
import { Button } from "@/components/ui/button";
import { errorMessage } from "@/components/ui/error-message";
import { LeaveGuard } from "@/components/ui/leave-guard";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { type Policy, policyName } from "../fields";
import type { PatientIdentity } from "../form-values";
import { newCardUpload as text } from "../messages/cards";
import { patientTrail } from "../paths";
import { type NewCard, uploadNewCard } from "./new-card";
import { placePhrase } from "./places";
import { usePolicyCardStore } from "./policy-card-store";
import type { UploadWatch } from "./upload";
import { UploadProgress } from "./upload-progress";
import { useOnline } from "./use-upload";

interface NewCardUploadProps {
  policy: Policy;
  patient: PatientIdentity;
  cards: readonly NewCard[];
  /** Leaves the form. */
  onDone: () => void;
}

/** Uploads the card images of a policy that was just added. One that fails is kept here, to be sent again or skipped. */
export function NewCardUpload({ policy, patient, cards, onDone }: NewCardUploadProps) {
  const { practice, id } = policy;
  const { store } = usePolicyCardStore({ practice, patient: patient.id, policy: id });
  const { current, progress, problem, send, skip } = useSendCards(cards, policy.version, (card, version, watch) =>
    uploadNewCard(store, card, version, watch),
  );
  const isDone = current === undefined;
  const finish = useEffectEvent(onDone);
  useEffect(() => {
    if (isDone) finish();
  }, [isDone]);
  const isOffline = problem instanceof CallError && problem.status === 0;
  useOnline(() => isOffline && void send());
  const message = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus is lost with the form, and with a problem's buttons.
  useEffect(() => {
    if (document.activeElement === document.body) message.current?.focus();
  }, [problem]);
  const side = current ? placePhrase(current.image_rank) : "";
  return (
    <div className="max-w-[640px]">
      <PageHeader trail={patientTrail(practice, patient)} title={policyName(policy)} />
      <div ref={message} tabIndex={-1} className="outline-none">
        {problem ? (
          <Notice tone="bad" live title={text.failed(side)}>
            <p>{isOffline ? errorMessage(problem) : text.kept(errorMessage(problem))}</p>
            <div className="mt-2 flex flex-wrap gap-2">
              <Button kind="primary" onClick={() => void send()}>
                {text.retry}
              </Button>
              <Button onClick={skip}>{text.skip}</Button>
            </div>
          </Notice>
        ) : (
          current && <UploadProgress share={progress} />
        )}
      </div>
      <LeaveGuard unsaved={!isDone} what={text.unsaved} />
    </div>
  );
}

type SendCard = (card: NewCard, version: number, watch: UploadWatch) => Promise<number>;

/** Sends pictures one after the other. Stops at one that fails until it is sent again or skipped. */
function useSendCards(cards: readonly NewCard[], firstVersion: number, sendCard: SendCard) {
  const [position, setPosition] = useState(0);
  const [progress, setProgress] = useState(0);
  const [problem, setProblem] = useState<unknown>(null);
  const state = useRef({ next: 0, version: firstVersion, isRunning: false });
  const advance = () => {
    state.current.next += 1;
    setPosition(state.current.next);
  };
  const send = async () => {
    const now = state.current;
    if (now.isRunning) return;
    now.isRunning = true;
    setProblem(null);
    const watch = { onProgress: setProgress, signal: new AbortController().signal };
    try {
      for (const card of cards.slice(now.next)) {
        setProgress(0);
        now.version = await sendCard(card, now.version, watch);
        advance();
      }
    } catch (error) {
      setProblem(error);
    } finally {
      now.isRunning = false;
    }
  };
  const skip = () => {
    if (state.current.isRunning) return;
    advance();
    void send();
  };
  const start = useEffectEvent(() => void send());
  useEffect(() => start(), []);
  return { current: cards[position], progress, problem, send, skip };
}

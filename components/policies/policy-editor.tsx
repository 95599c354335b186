"use client";

import { useRouter } from "next/navigation";
import { useEffect, useMemo, useRef, useState } from "react";
import { type FieldErrors, FormProvider, useForm, useWatch } from "react-hook-form";
import { CallError, isUncertain } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import type { FieldProblem } from "@/components/ui/error-summary";
import { TextField } from "@/components/ui/field";
import { pluralize } from "@/components/ui/format";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { PageHeader } from "@/components/ui/page-header";
import { ReadyFieldset } from "@/components/ui/ready-fieldset";
import { Day } from "@/components/ui/time";
import { useToasts } from "@/components/ui/toasts";
import { FIELD_UNITS, type Policy, type PolicyField, policyName, rankLabel, withFieldLabels } from "./fields";
import { createResolver, preloadChecks } from "./form-resolver";
import { FormSections } from "./form-sections";
import {
  differingUnits,
  type PatientIdentity,
  type PolicyForm,
  selectedRank,
  toForm,
  toRequestBody,
} from "./form-values";
import { asDryRun } from "./lost-answers";
import { withMaskedSsn } from "./masked-form";
import { findSavedPolicy, newForm, readActivePolicies } from "./new-policy";
import { pagePath, patientTrail, policiesPath } from "./paths";
import {
  defaultDestination,
  expectedHolder,
  HOLDER_CHANGED,
  type HolderDestination,
  policyAtRank,
  RANK_TAKEN,
} from "./rank-holder";
import { SaveBar } from "./save-bar";
import { SaveProblem } from "./save-problem";
import { type PoliciesData, type PolicyData, usePolicyWrite, type WriteResult } from "./use-policy";
import { useRankChoice } from "./use-rank-choice";
import { useUndoRankChange } from "./use-undo";

const ErrorSummary = lazyWithRetry(async () => (await import("@/components/ui/error-summary")).ErrorSummary);
const RankHolderChoice = lazyWithRetry(async () => (await import("./rank-holder-choice")).RankHolderChoice);
const ConflictDialog = lazyWithRetry(async () => (await import("./conflict-dialog")).ConflictDialog);

interface PolicyEditorProps {
  practice: number;
  initial: PoliciesData;
  /** Left out for a new one. */
  policy?: Policy;
}

interface Save {
  values: PolicyForm;
  /** The policy as the changes are meant on; null for a new one. */
  against: Policy | null;
  holder: PatientIdentity;
  /** The patient's other active policies as the form shows them. */
  others: readonly Policy[];
  /** Where the one that holds the rank goes; undefined where nobody does. */
  holderTo: HolderDestination | undefined;
}

/** The form of a policy, new or not. Whatever goes wrong with saving, what was typed stays where it is. */
export function PolicyEditor({ practice, initial, policy }: PolicyEditorProps) {
  const router = useRouter();
  const toast = useToasts();
  const element = useRef<HTMLFormElement>(null);
  const [base, setBase] = useState<Policy | null>(policy ?? null);
  const [theirs, setTheirs] = useState<Policy | null>(null);
  const [isComparing, setComparing] = useState(false);
  const [holder, setHolder] = useState(initial.patient);
  const [problem, setProblem] = useState<CallError | null>(null);
  const [reason, setReason] = useState("");
  const [active, setActive] = useState(initial.policies);
  const [isDone, setDone] = useState(false);
  const [attempt, setAttempt] = useState(0);
  /** A save is under way, or the last one led away from here: a second one would add a second policy. */
  const isHeld = useRef(false);
  /** The last attempt may have come through although its answer did not. */
  const mayBeSaved = useRef(false);
  const others = active.filter(({ id }) => id !== policy?.id);
  const start = useMemo(() => (base ? toForm(base) : newForm(initial.policies)), [base, initial.policies]);
  const requireCarrier = !policy || Boolean(policy.carrier);
  const form = useForm<PolicyForm>({
    defaultValues: start,
    mode: "onTouched",
    shouldFocusError: false,
    resolver: createResolver(holder, base, requireCarrier),
  });
  useEffect(preloadChecks, []);
  const rank = selectedRank({ rank: useWatch({ control: form.control, name: "rank" }) });
  const rankChoice = useRankChoice({ rank, from: base?.rank ?? null }, others);
  const holderTo = rankChoice?.chosen.to;
  const undoOf = useUndoRankChange(practice, holder.id);
  const path = policiesPath(practice, holder.id, policy?.id);
  const write = usePolicyWrite(({ values, against, holder, others, holderTo }: Save) =>
    staffCall<WriteResult>(path, {
      method: against ? "PUT" : "POST",
      body: {
        ...toRequestBody(values, holder, against ? differingUnits(values, toForm(against)) : undefined),
        ...expectedHolder(others, selectedRank(values)),
        ...(holderTo ? { rank_holder_to: holderTo } : {}),
      },
      ...(against ? { ifMatch: against.version } : {}),
      reason: reason.trim(),
    }),
  );

  /** What saving the rank alone would do. */
  const preview = {
    inputs: [path, base?.version, rank, holderTo, others.map(({ id, version }) => [id, version])],
    run: (signal: AbortSignal) =>
      asDryRun(
        staffCall<WriteResult>(`${path}?dry_run=true`, {
          method: policy ? "PUT" : "POST",
          body: {
            ...toRequestBody(form.getValues(), holder, RANK_UNIT),
            ...expectedHolder(others, rank),
            rank_holder_to: holderTo,
          },
          ...(base ? { ifMatch: base.version } : {}),
          signal,
        }),
      ),
    isPaused: form.formState.isSubmitting || write.isPending || isDone,
  };

  const finish = (saved: Policy, text: string, undo?: () => void) => {
    // From here on there is nothing unsaved that leaving could lose.
    setDone(true);
    setBase(saved);
    form.reset(toForm(saved));
    toast.success(text, undo);
    router.push(pagePath(practice, holder.id, "policies", saved.id));
    return true;
  };

  const save = async (attempt: Save) => {
    if (isHeld.current) return;
    isHeld.current = true;
    let isLeaving = false;
    try {
      setProblem(null);
      isLeaving = await send(attempt);
    } finally {
      isHeld.current = isLeaving;
    }
  };

  /** @returns whether it is saved, and the form is left */
  const send = async (attempt: Save): Promise<boolean> => {
    const { values, against } = attempt;
    try {
      const saved = mayBeSaved.current && !against ? await findSavedPolicy(path, initial.policies, values) : null;
      if (saved) return finish(saved, "The policy had been saved after all.");
      const written = await write.mutateAsync(attempt);
      const { policy: result, pending } = written;
      if (!result) return false;
      const undo = attempt.holderTo ? undoOf(written, attempt.others) : undefined;
      const text = policy ? "The policy is saved." : `${policyName(result)} is added.`;
      return finish(result, pending ? `${text} Sync pending: the legacy record follows shortly.` : text, undo);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      return explain(error, attempt);
    }
  };

  /** Puts a refusal where it can be acted on. @returns whether it turns out to be saved */
  const explain = async (error: CallError, { values, against }: Save): Promise<boolean> => {
    mayBeSaved.current ||= isUncertain(error);
    if (error.code === HOLDER_CHANGED || error.code === RANK_TAKEN) {
      setProblem(await lookAtRank(error, values));
      return false;
    }
    if (error.status === 412 && against) {
      const now = await staffCall<PolicyData>(path).catch((failed: CallError) => failed);
      const unread = now instanceof CallError ? now : now.policy.status === "archived" ? ARCHIVED : null;
      if (unread || now instanceof CallError) {
        // Out of reach for the moment, they still changed it: the next save looks again.
        setProblem(unread?.status === 0 ? error : unread);
        return false;
      }
      if (differingUnits(withMaskedSsn(values), toForm(now.policy)).length === 0)
        return finish(now.policy, "The policy is saved.");
      setTheirs(now.policy);
      setComparing(true);
    }
    if (error.code === "patient_mismatch") {
      const now = await staffCall<PoliciesData>(path).catch(() => null);
      if (now) setHolder(now.patient);
    }
    for (const [name, messages] of Object.entries(error.fields)) {
      if (name in start)
        form.setError(name as PolicyField, { type: "server", message: withFieldLabels(messages.join(" ")) });
    }
    setProblem(error);
    setAttempt((before) => before + 1);
    return false;
  };

  /** Shows who holds the rank now, so that the next save is made knowing it. */
  const lookAtRank = async (error: CallError, values: PolicyForm): Promise<CallError> => {
    const now = await readActivePolicies(policiesPath(practice, holder.id)).catch(() => null);
    if (!now) return error;
    setActive(now);
    const rank = selectedRank(values);
    const taker = policyAtRank(
      now.filter(({ id }) => id !== policy?.id),
      rank,
    );
    const words = taker
      ? `${policyName(taker)} is ${rankLabel(rank).toLowerCase()} now. Choose below what happens to it.`
      : `No policy is ${rankLabel(rank).toLowerCase()} any more.`;
    return new CallError(error.status, HOLDER_CHANGED, words);
  };

  // Told above the form only once somebody has asDryRun to save it.
  const wrong = attempt === 0 ? [] : problemsIn(form.formState.errors);
  const submit = form.handleSubmit(
    (values) => save({ values, against: base, holder, others, holderTo }),
    () => setAttempt((before) => before + 1),
  );
  const back = pagePath(practice, holder.id, ...(policy ? ["policies", policy.id] : []));
  return (
    <div className="max-w-[640px]">
      <PageHeader
        trail={[...patientTrail(practice, holder), ...(policy ? [{ label: policyName(policy), href: back }] : [])]}
        title={policy ? `Edit ${policyName(policy)}` : "Add policy"}
        meta={
          <>
            For {holder.first_name} {holder.last_name}, born <Day value={holder.dob} />
            {base && `. Version ${base.version}`}
          </>
        }
      />
      <FormProvider {...form}>
        <form
          ref={element}
          noValidate
          className="flex flex-col gap-5 [&_:is(input,select,button)]:scroll-my-28"
          onSubmit={submit}
          onKeyDown={(event) => {
            if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
            event.preventDefault();
            if (!event.repeat) void submit();
          }}
        >
          <ReadyFieldset>
            <ErrorSummary
              title={`Not ${policy ? "saved" : "added"} yet: ${pluralize(wrong.length, "field needs", "fields need")} another look`}
              problems={wrong}
              form={element}
              attempt={attempt}
            />
            <SaveProblem
              problem={problem}
              isNew={!policy}
              policyPath={back}
              {...(theirs ? { onCompare: () => setComparing(true) } : {})}
            />
            <FormSections
              practice={practice}
              others={others}
              requireCarrier={requireCarrier}
              policyPath={base ? path : undefined}
              stored={base?.insured_person_ssn ?? ""}
              holderChoice={
                rankChoice && (
                  <RankHolderChoice
                    {...rankChoice}
                    policies={[...(base ? [base] : []), ...others]}
                    taker={base ?? undefined}
                    preview={preview}
                  />
                )
              }
            />
            <div className="border-line border-t pt-4">
              <TextField
                label="Reason for change"
                help="Saved in the version history. Optional."
                maxLength={500}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
            </div>
            <SaveBar
              control={form.control}
              start={start}
              isNew={!policy}
              rankChoice={rankChoice}
              busy={form.formState.isSubmitting || write.isPending || isDone}
              back={back}
            />
          </ReadyFieldset>
        </form>
      </FormProvider>
      {isComparing && theirs && base && (
        <ConflictDialog
          base={base}
          theirs={theirs}
          mine={form.getValues()}
          onClose={() => setComparing(false)}
          onSave={(merged) => {
            setComparing(false);
            setBase(theirs);
            form.reset(merged);
            const taking = { rank: selectedRank(merged), from: theirs.rank };
            const to = taking.rank === rank ? holderTo : defaultDestination(taking, others);
            void save({ values: merged, against: theirs, holder, others, holderTo: to });
          }}
        />
      )}
    </div>
  );
}

/** What is wrong, in the order of the form. A company and a plan are seen by their names. */
function problemsIn(errors: FieldErrors<PolicyForm>): FieldProblem[] {
  return FIELD_UNITS.flatMap(({ info: { name, label }, fields }) => {
    const message = fields.map((field) => errors[field]?.message).find(Boolean);
    return message ? [{ name, label, message }] : [];
  });
}

const RANK_UNIT = FIELD_UNITS.filter(({ info }) => info.name === "rank");
const ARCHIVED = new CallError(409, "policy_archived", "Somebody archived this policy since you opened it.");

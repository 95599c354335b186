"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useEffect, useMemo, useRef, useState } from "react";
import { FormProvider, type Resolver, useForm } from "react-hook-form";
import { CallError, staffCall } from "@/components/session/staff-call";
import { TextField } from "@/components/ui/field";
import { PageHeader } from "@/components/ui/page-header";
import { ReadyFieldset } from "@/components/ui/ready-fieldset";
import { Day } from "@/components/ui/time";
import { useToasts } from "@/components/ui/toasts";
import { inWords, labelOf, type Policy, type PolicyField, policyName } from "./fields";
import { FormSections } from "./form-sections";
import { differingUnits, emptyForm, type Holder, type PolicyForm, toForm, toInput } from "./form-values";
import { pagePath, policiesPath, trailOf } from "./paths";
import { SaveBar } from "./save-bar";
import { SaveProblem } from "./save-problem";
import { type PoliciesData, type PolicyData, usePolicyWrite, type Written } from "./use-policy";

const ConflictDialog = dynamic(() => import("./conflict-dialog").then((module) => module.ConflictDialog), {
  ssr: false,
});

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
  holder: Holder;
}

/** The form of a policy, new or not. Whatever goes wrong with saving, what was typed stays where it is. */
export function PolicyEditor({ practice, initial, policy }: PolicyEditorProps) {
  const router = useRouter();
  const say = useToasts();
  const element = useRef<HTMLFormElement>(null);
  const [base, setBase] = useState<Policy | null>(policy ?? null);
  const [theirs, setTheirs] = useState<Policy | null>(null);
  const [isComparing, setComparing] = useState(false);
  const [holder, setHolder] = useState(initial.patient);
  const [problem, setProblem] = useState<CallError | null>(null);
  const [reason, setReason] = useState("");
  /** The last attempt may have come through although its answer did not. */
  const isUncertain = useRef(false);
  const others = initial.policies.filter(({ id }) => id !== policy?.id);
  const start = useMemo(() => (base ? toForm(base) : newForm(initial.policies)), [base, initial.policies]);
  const requireCarrier = !policy || Boolean(policy.carrier);
  const form = useForm<PolicyForm>({
    defaultValues: start,
    mode: "onTouched",
    shouldFocusError: false,
    resolver: resolverFor(holder, requireCarrier),
  });
  useEffect(() => {
    // So that it is there when the first field is left.
    void import("./form-problems").catch(() => null);
  }, []);
  const path = policiesPath(practice, holder.id, policy?.id);
  const write = usePolicyWrite(({ values, against, holder }: Save) =>
    staffCall<Written>(path, {
      method: against ? "PUT" : "POST",
      body: toInput(values, holder, against ? differingUnits(values, toForm(against)) : undefined),
      ...(against ? { ifMatch: against.version } : {}),
      reason: reason.trim(),
    }),
  );

  const finish = (saved: Policy, text: string) => {
    // From here on there is nothing unsaved that leaving could lose.
    setBase(saved);
    form.reset(toForm(saved));
    say.done(text);
    router.push(pagePath(practice, holder.id, "policies", saved.id));
  };

  const save = async (attempt: Save) => {
    setProblem(null);
    try {
      const saved = isUncertain.current && !attempt.against ? await findSaved(path, initial, attempt.values) : null;
      if (saved) return finish(saved, "The policy had been saved after all.");
      const { policy: result, pending } = await write.mutateAsync(attempt);
      if (!result) return;
      const text = policy ? "The policy is saved." : `${policyName(result)} is added.`;
      finish(result, pending ? `${text} Sync pending: the legacy record follows shortly.` : text);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      await explain(error, attempt);
    }
  };

  /** Puts a refusal where it can be acted on. */
  const explain = async (error: CallError, { values, against }: Save) => {
    isUncertain.current ||= error.status === 0 || error.status >= 500;
    if (error.status === 412 && against) {
      const now = await staffCall<PolicyData>(path).catch((failed: CallError) => failed);
      if (now instanceof CallError) return setProblem(now);
      if (now.policy.status === "archived") return setProblem(ARCHIVED);
      if (differingUnits(values, toForm(now.policy)).length === 0) return finish(now.policy, "The policy is saved.");
      setTheirs(now.policy);
      setComparing(true);
    }
    if (error.code === "patient_mismatch") {
      const now = await staffCall<PoliciesData>(path).catch(() => null);
      if (now) setHolder(now.patient);
    }
    for (const [name, messages] of Object.entries(error.fields)) {
      if (name in start) form.setError(name as PolicyField, { type: "server", message: inWords(messages.join(" ")) });
    }
    setProblem(error);
    focusFirstInvalid();
  };

  const focusFirstInvalid = () =>
    requestAnimationFrame(() => element.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());

  const submit = form.handleSubmit((values) => save({ values, against: base, holder }), focusFirstInvalid);
  const back = pagePath(practice, holder.id, ...(policy ? ["policies", policy.id] : []));
  return (
    <div className="max-w-[640px]">
      <PageHeader
        trail={[...trailOf(practice, holder), ...(policy ? [{ label: policyName(policy), href: back }] : [])]}
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
            void submit();
          }}
        >
          <ReadyFieldset>
            <SaveProblem
              problem={problem}
              isNew={!policy}
              policyPath={back}
              {...(theirs ? { onCompare: () => setComparing(true) } : {})}
            />
            <FormSections practice={practice} others={others} requireCarrier={requireCarrier} />
            <div className="border-line border-t pt-4">
              <TextField
                label="Reason"
                help="Why it is as it is now. Kept in the history. Optional."
                maxLength={500}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
            </div>
            <SaveBar
              control={form.control}
              start={start}
              isNew={!policy}
              others={others}
              busy={form.formState.isSubmitting || write.isPending}
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
            void save({ values: merged, against: theirs, holder });
          }}
        />
      )}
    </div>
  );
}

const ARCHIVED = new CallError(409, "policy_archived", "Somebody archived this policy since you opened it.");

/** A new policy begins at the first rank that is free. */
function newForm(active: readonly Policy[]): PolicyForm {
  const free = [1, 2, 3].find((rank) => active.every((policy) => policy.rank !== rank));
  return { ...emptyForm(), rank: free === undefined ? "" : String(free) };
}

/** The API's own schema, fetched beside the page, and what only a browser can tell: a date that is begun and not finished. */
function resolverFor(holder: Holder, requireCarrier: boolean): Resolver<PolicyForm> {
  return async (values, _context, { fields }) => {
    const problems = await problemsOf(values, holder);
    if (requireCarrier && values.carrier.trim() === "") problems.carrier = "Pick a carrier, or type its name.";
    for (const [name, field] of Object.entries(fields)) {
      const input = field?.ref as Partial<HTMLInputElement> | undefined;
      if (input?.validity?.badInput)
        problems[name as PolicyField] = `Finish the ${labelOf(name).toLowerCase()}, or clear it.`;
    }
    const entries = Object.entries(problems).map(([name, message]) => [name, { type: "check", message }]);
    return entries.length === 0 ? { values, errors: {} } : { values: {}, errors: Object.fromEntries(entries) };
  };
}

/** Where the schema can't be had, the server is the one to refuse. */
async function problemsOf(values: PolicyForm, holder: Holder): Promise<Partial<Record<PolicyField, string>>> {
  const checks = await import("./form-problems").catch(() => null);
  return checks?.formProblems(values, holder) ?? {};
}

/** A policy like this one that was not there when the form was opened. */
async function findSaved(path: string, before: PoliciesData, values: PolicyForm): Promise<Policy | null> {
  const now = await staffCall<PoliciesData>(path);
  const known = new Set(before.policies.map(({ id }) => id));
  return (
    now.policies.find(
      (one) => one.status === "active" && !known.has(one.id) && differingUnits(values, toForm(one)).length === 0,
    ) ?? null
  );
}

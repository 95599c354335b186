"use client";

import { type KeyboardEvent, useRef } from "react";
import { type FieldErrors, FormProvider } from "react-hook-form";
import type { FieldProblem } from "@/components/ui/error-summary";
import { TextField } from "@/components/ui/field";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { PageHeader } from "@/components/ui/page-header";
import { ReadyFieldset } from "@/components/ui/ready-fieldset";
import { Day } from "@/components/ui/time";
import { FIELD_UNITS, policyName } from "./fields";
import { FormSections } from "./form-sections";
import type { PolicyForm } from "./form-values";
import { patientNames } from "./messages/fields";
import { policyForm as text } from "./messages/form";
import { pagePath, patientTrail } from "./paths";
import { SaveBar } from "./save-bar";
import { type PolicyEditorProps, usePolicyEditor } from "./use-policy-editor";

const ErrorSummary = lazyWithRetry(async () => (await import("@/components/ui/error-summary")).ErrorSummary);
const RankHolderChoice = lazyWithRetry(async () => (await import("./rank-holder-choice")).RankHolderChoice);
const SaveProblem = lazyWithRetry(async () => (await import("./save-problem")).SaveProblem);
const NewCardImages = lazyWithRetry(async () => (await import("./cards/new-card-images")).NewCardImages);
const NewCardUpload = lazyWithRetry(async () => (await import("./cards/new-card-upload")).NewCardUpload);
const ConflictDialog = lazyWithRetry(async () => (await import("./conflict-dialog")).ConflictDialog);

/** Shows the form of a new or existing policy. */
export function PolicyEditor(props: PolicyEditorProps) {
  const { practice, policy, imageLimits } = props;
  const editor = usePolicyEditor(props);
  const { form, base, theirs, patient, others, replaced, rankChoice, attempts, submit } = editor;
  const element = useRef<HTMLFormElement>(null);
  // Errors are listed above the form only after an attempt to save.
  const problems = attempts === 0 ? [] : listProblems(form.formState.errors);
  const page = pagePath(practice, patient.id, ...(policy ? ["policies", policy.id] : []));
  const trail = patientTrail(practice, patient);
  const name = patientNames.full(patient.first_name, patient.last_name);
  const born = <Day value={patient.dob} />;
  const addTitle = replaced ? text.replaceTitle(policyName(replaced)) : text.addTitle;
  const saveOnCtrlS = (event: KeyboardEvent<HTMLFormElement>) => {
    // React also passes on keys that are pressed in dialogs.
    if (!event.currentTarget.contains(event.target as Node)) return;
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
    event.preventDefault();
    if (!event.repeat) void submit();
  };
  const { uploadTo } = editor;
  if (uploadTo) {
    const done = () => editor.goBack(uploadTo);
    return <NewCardUpload policy={uploadTo} patient={patient} cards={editor.cards.cards} onDone={done} />;
  }
  return (
    <div className="max-w-[640px] min-[1100px]:max-w-[1120px]">
      <PageHeader
        trail={policy ? [...trail, { label: policyName(policy), href: page }] : trail}
        title={policy ? text.editTitle(policyName(policy)) : addTitle}
        meta={base ? text.forPatientVersion(name, born, base.version) : text.forPatient(name, born)}
      />
      <FormProvider {...form}>
        <form
          ref={element}
          noValidate
          className="flex flex-col gap-5 [&_:is(input,select,button)]:scroll-my-28"
          onSubmit={submit}
          onKeyDown={saveOnCtrlS}
        >
          <ReadyFieldset>
            <ErrorSummary
              title={policy ? text.notSaved(problems.length) : text.notAdded(problems.length)}
              problems={problems}
              form={element}
              attempt={attempts}
            />
            <SaveProblem
              problem={editor.problem}
              isNew={!policy}
              policyPath={page}
              onCompare={theirs ? () => editor.setComparing(true) : undefined}
            />
            <FormSections
              practice={practice}
              others={others}
              replaced={replaced}
              requireCarrier={editor.requireCarrier}
              policyPath={base ? editor.path : undefined}
              stored={base?.insured_person_ssn ?? ""}
              cards={imageLimits && <NewCardImages limits={imageLimits} {...editor.cards} />}
              holderChoice={
                rankChoice && (
                  <RankHolderChoice
                    {...rankChoice}
                    policies={base ? [base, ...others] : others}
                    taker={base ?? undefined}
                    preview={editor.preview}
                  />
                )
              }
            />
            {editor.asksForReason && (
              <div className="border-line border-t pt-4">
                <TextField
                  label={text.reason}
                  help={text.reasonHelp}
                  maxLength={500}
                  value={editor.reason}
                  onChange={(event) => editor.setReason(event.target.value)}
                />
              </div>
            )}
            <SaveBar
              control={form.control}
              start={editor.start}
              isNew={!policy}
              hasCards={editor.hasCards}
              rankChoice={rankChoice}
              busy={editor.isBusy}
              back={editor.returnPath}
            />
          </ReadyFieldset>
        </form>
      </FormProvider>
      {editor.isComparing && theirs && base && (
        <ConflictDialog
          base={base}
          theirs={theirs}
          mine={form.getValues()}
          onClose={() => editor.setComparing(false)}
          onSave={(merged) => editor.saveMerged(merged, theirs)}
        />
      )}
    </div>
  );
}

/** Lists the invalid fields in the order of the form. A payer or plan is shown as its name. */
function listProblems(errors: FieldErrors<PolicyForm>): FieldProblem[] {
  return FIELD_UNITS.flatMap(({ info: { name, label }, fields }) => {
    const message = fields.map((field) => errors[field]?.message).find(Boolean);
    return message ? [{ name, label, message }] : [];
  });
}

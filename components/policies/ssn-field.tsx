"use client";

import { useState } from "react";
import { useFormContext } from "react-hook-form";
import { Button } from "@/components/ui/button";
import { TextField } from "@/components/ui/field";
import { fieldLabel } from "./fields";
import { useNormalizedInput } from "./form-inputs";
import type { PolicyForm } from "./form-values";
import { formInputs as text } from "./messages/form";
import { Ssn } from "./ssn";

interface SsnFieldProps {
  name: "insured_person_ssn";
  /** Path of the stored policy; undefined for a new one. */
  policyPath: string | undefined;
  /** The stored SSN, masked, or empty. */
  stored: string;
}

/** Shows the input for an SSN. A stored one stays masked and can only be replaced as a whole. */
export function SsnField({ name, policyPath, stored }: SsnFieldProps) {
  const { setValue, watch, formState } = useFormContext<PolicyForm>();
  const [isReplaced, setReplaced] = useState(false);
  const error = formState.errors[name]?.message;
  const label = fieldLabel(name);
  // After a conflict the stored value may be another one, which the user is not replacing.
  if (stored && policyPath && (!isReplaced || watch(name) === stored)) {
    // A fieldset instead of a label: clicking the label would press the button and replace the SSN.
    return (
      <fieldset className="flex min-w-0 flex-col gap-1">
        <legend className="mb-1 font-medium">{label}</legend>
        <div className="flex min-h-8 flex-wrap items-center gap-2">
          <Ssn masked={stored} path={policyPath} label={label} />
          <Button
            size="small"
            name={name}
            onClick={() => {
              setReplaced(true);
              setValue(name, "", { shouldDirty: true });
            }}
          >
            {text.replaceSsn}
          </Button>
        </div>
        {error && <p className="text-bad">{error}</p>}
      </fieldset>
    );
  }
  return (
    <div className="flex flex-col items-start gap-1">
      <SsnInput name={name} help={stored ? text.ssnReplacedHelp : text.ssnHelp} />
      {stored && policyPath && (
        <Button
          size="small"
          onClick={() => {
            setReplaced(false);
            setValue(name, stored, { shouldDirty: true, shouldValidate: true });
          }}
        >
          {text.keepSsn}
        </Button>
      )}
    </div>
  );
}

function SsnInput({ name, help }: { name: SsnFieldProps["name"]; help: string }) {
  const { formState } = useFormContext<PolicyForm>();
  return (
    <TextField
      label={fieldLabel(name)}
      help={help}
      error={formState.errors[name]?.message}
      autoComplete="off"
      spellCheck={false}
      inputMode="numeric"
      className="w-full [&_input]:font-mono"
      {...useNormalizedInput(name)}
    />
  );
}

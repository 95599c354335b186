"use client";

import { type ReactNode, useEffect, useState } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { Disclosure } from "@/components/ui/disclosure";
import { FIELD_GROUPS, type PolicyField } from "./fields";
import type { PolicyForm } from "./form-values";
import { fieldGroups } from "./messages/fields";
import { formGroups as text } from "./messages/form";

interface FormGroupProps {
  title: string;
  children: ReactNode;
}

const GROUP = "border-line min-w-0 border-t";

/** Shows a group of fields under its title. */
export function FormGroup({ title, children }: FormGroupProps) {
  return (
    <fieldset className={`${GROUP} pt-4`}>
      <legend className="sr-only">{title}</legend>
      <p aria-hidden className="mb-3 font-semibold">
        {title}
      </p>
      <FieldGrid>{children}</FieldGrid>
    </fieldset>
  );
}

function FieldGrid({ children }: { children: ReactNode }) {
  return <div className="grid items-start gap-x-4 gap-y-3 sm:grid-cols-2">{children}</div>;
}

const fieldsOf = (title: string) =>
  FIELD_GROUPS.find((group) => group.title === title)?.fields.map(({ name }) => name) ?? [];

/** Shows the subscriber's fields. Closed while the patient is the subscriber and nothing is entered. */
export function SubscriberGroup({ children }: { children: ReactNode }) {
  const { control } = useFormContext<PolicyForm>();
  const relationship = useWatch({ control, name: "relationship_to_insured" });
  const [first, last, ...others] = useFilled(SUBSCRIBER);
  const isFilled = [first, last, ...others].some(Boolean);
  const group = useOpenGroup(SUBSCRIBER, relationship !== "" || isFilled);
  const { setOpen } = group;
  // biome-ignore lint/correctness/useExhaustiveDependencies: typing must not close the group, only another relationship.
  useEffect(() => setOpen(relationship !== "" || isFilled), [relationship, setOpen]);
  const name = [first, last].filter(Boolean).join(" ");
  const isSelf = relationship === "" && !isFilled;
  const emptySummary = isSelf ? text.subscriberIsPatient : isFilled ? text.entered : text.notEntered;
  return (
    <OptionalGroup title={fieldGroups.subscriber} summary={name || emptySummary} help={text.subscriberHelp} {...group}>
      {children}
    </OptionalGroup>
  );
}

const SUBSCRIBER = fieldsOf(fieldGroups.subscriber);
const CLAIMS_ADDRESS = fieldsOf(fieldGroups.claimsAddress);

interface ClaimsAddressGroupProps {
  /** Whether the address is the one in the practice's payer list. */
  isListed: boolean;
  action: ReactNode;
  children: ReactNode;
}

/** Shows the payer's address, closed at first. */
export function ClaimsAddressGroup({ isListed, action, children }: ClaimsAddressGroupProps) {
  const group = useOpenGroup(CLAIMS_ADDRESS, false);
  const [address, suite, city, state, zip, phone] = useFilled(CLAIMS_ADDRESS);
  const place = [[address, suite].filter(Boolean).join(" "), city, [state, zip].filter(Boolean).join(" "), phone];
  return (
    <OptionalGroup
      title={fieldGroups.claimsAddress}
      summary={isListed ? <Listed place={place} /> : place.filter(Boolean).join(", ") || text.notEntered}
      help={isListed ? text.listedAddressHelp : text.claimsAddressHelp}
      action={action}
      {...group}
    >
      {children}
    </OptionalGroup>
  );
}

/** Says where an address comes from that the user has not typed. It wraps, so that nothing is hidden. */
function Listed({ place }: { place: readonly (string | undefined)[] }) {
  return <span className="whitespace-normal">{text.listedAddress(place.filter(Boolean).join(", "))}</span>;
}

/** Returns what is entered in fields, as text. */
function useFilled(names: readonly PolicyField[]): string[] {
  const { control } = useFormContext<PolicyForm>();
  return useWatch({ control, name: [...names] }).map((value) => String(value ?? "").trim());
}

/** Holds whether a group is open. It opens if one of its fields gets an error, or has one when the form is saved. */
function useOpenGroup(names: readonly PolicyField[], isInitiallyOpen: boolean) {
  const { formState } = useFormContext<PolicyForm>();
  const [isOpen, setOpen] = useState(isInitiallyOpen);
  const { errors, submitCount } = formState;
  const hasError = names.some((name) => errors[name]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the user may have closed the group since the last attempt.
  useEffect(() => {
    if (hasError) setOpen(true);
  }, [hasError, submitCount]);
  return { isOpen, setOpen };
}

interface OptionalGroupProps extends FormGroupProps {
  summary: ReactNode;
  help: string;
  action?: ReactNode;
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
}

function OptionalGroup({ title, summary, help, action, isOpen, setOpen, children }: OptionalGroupProps) {
  return (
    <fieldset className={`${GROUP} pt-2`}>
      <legend className="sr-only">{title}</legend>
      <Disclosure
        title={<span className="font-semibold">{title}</span>}
        summary={isOpen ? "" : summary}
        isOpen={isOpen}
        onToggle={setOpen}
      >
        <div className="mt-1 mb-3 flex min-h-7 flex-wrap items-center justify-between gap-2">
          <p className="text-soft">{help}</p>
          {action}
        </div>
        <FieldGrid>{children}</FieldGrid>
      </Disclosure>
    </fieldset>
  );
}

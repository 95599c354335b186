"use client";

import type { ReactNode } from "react";
import { PAYMENT_PROGRAMS, RELATIONSHIPS } from "@/lib/insurance/fields/limits";
import { GENDERS, type Policy } from "./fields";
import { FormGroup, SubscriberGroup } from "./form-groups";
import { ChoiceInput, DateInput, MoneyInput, RankInput, TextInput } from "./form-inputs";
import { fieldGroups } from "./messages/fields";
import { formInputs as text } from "./messages/form";
import { CarrierField, ClaimsAddress, PlanField } from "./payer-fields";
import { SsnField } from "./ssn-field";
import { StateInput } from "./state-input";

interface FormSectionsProps {
  practice: number;
  /** The patient's other active policies. */
  others: readonly Policy[];
  /** The policy that a new one is meant to replace. */
  replaced: Policy | undefined;
  requireCarrier: boolean;
  /** Path of the stored policy; undefined for a new one. */
  policyPath: string | undefined;
  /** The stored SSN, masked, or empty. */
  stored: string;
  /** Asks what happens to the policy that holds the selected rank. */
  holderChoice: ReactNode;
  /** The card images of a new policy. */
  cards: ReactNode;
}

/** Shows the fields of a policy, in the same groups as on its page. */
export function FormSections(props: FormSectionsProps) {
  const { practice, others, replaced, requireCarrier, policyPath, stored, holderChoice, cards } = props;
  return (
    <div className="grid items-start gap-x-8 gap-y-5 min-[1100px]:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-5">
        <FormGroup title={fieldGroups.plan}>
          <CarrierField practice={practice} required={requireCarrier} />
          <PlanField practice={practice} />
          <RankInput others={others} replaced={replaced} />
          <ChoiceInput name="payment_program" none={text.notEntered} choices={PAYMENT_PROGRAMS} />
          {holderChoice && <div className="sm:col-span-2">{holderChoice}</div>}
        </FormGroup>
        <FormGroup title={fieldGroups.member}>
          <TextInput name="member_id" help={text.memberIdHelp} spellCheck={false} className="[&_input]:font-mono" />
          <TextInput name="group_id" spellCheck={false} className="[&_input]:font-mono" />
          <div className="sm:col-span-2">
            <ChoiceInput name="relationship_to_insured" none={text.self} choices={RELATIONSHIPS} />
          </div>
        </FormGroup>
      </div>
      <div className="flex min-w-0 flex-col gap-5">
        <FormGroup title={fieldGroups.coverage}>
          <DateInput name="start_date" />
          <DateInput name="end_date" help={text.endDateHelp} />
          <MoneyInput name="copay" />
          <MoneyInput name="deductible" />
        </FormGroup>
        {cards}
      </div>
      <SubscriberGroup>
        <TextInput name="insured_person_first_name" />
        <TextInput name="insured_person_last_name" />
        <DateInput name="insured_person_dob" />
        <ChoiceInput name="insured_person_gender" none={text.notEntered} choices={GENDERS} />
        <TextInput name="insured_person_id" spellCheck={false} />
        <SsnField name="insured_person_ssn" policyPath={policyPath} stored={stored} />
        <TextInput name="insured_person_address" className="sm:col-span-2" />
        <TextInput name="insured_person_city" />
        <StateInput name="insured_person_state" />
        <TextInput name="insured_person_zip" inputMode="numeric" />
      </SubscriberGroup>
      <ClaimsAddress practice={practice}>
        <TextInput name="address" />
        <TextInput name="suite" />
        <TextInput name="city" />
        <StateInput name="state" />
        <TextInput name="zip" inputMode="numeric" />
        <div className="grid grid-cols-[minmax(0,1fr)_96px] gap-3">
          <TextInput name="phone" type="tel" />
          <TextInput name="extension" inputMode="numeric" />
        </div>
      </ClaimsAddress>
    </div>
  );
}

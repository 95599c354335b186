"use client";

import { useState } from "react";
import { GENDERS } from "@/components/policies/fields";
import { SearchSelect } from "@/components/policies/search-select";
import { Button } from "@/components/ui/button";
import { DateField } from "@/components/ui/date-field";
import { SelectField, TextField } from "@/components/ui/field";
import { capitalize } from "@/components/ui/format";
import type { CorrectedValue, CorrectionInput as Input } from "@/lib/migration/findings/corrections";
import { fieldName } from "@/lib/migration/findings/field-words";
import { correctionForm as words } from "./messages/decisions";
import { useRunPayers } from "./run-payers";

interface CorrectionInputProps {
  input: Input;
  /** The path of the run in the staff API. */
  runPath: string;
  /** Undefined until the user changes the value. */
  value: CorrectedValue | undefined;
  error: string | undefined;
  autoFocus: boolean;
  onChange: (values: Record<string, CorrectedValue>) => void;
}

/** Shows the input that suits a value of a record, with the values of the record's other insurances. */
export function CorrectionInput(props: CorrectionInputProps) {
  const { input, value, onChange } = props;
  const { field, kind, others } = input;
  const text = value === undefined ? input.value : String(value ?? "");
  const set = (entered: string) => onChange(kind === "payer" ? payerOf(entered, null) : { [field]: entered });
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {kind === "payer" ? (
        <PayerInput {...props} text={text} />
      ) : kind === "choice" ? (
        <ChoiceInput {...props} text={text} />
      ) : kind === "date" ? (
        <DateField
          label={fieldName(field)}
          isBirthDate={/dob$/.test(field)}
          autoFocus={props.autoFocus}
          value={text}
          error={props.error}
          onChange={set}
        />
      ) : (
        <TextField
          label={fieldName(field)}
          autoComplete="off"
          autoFocus={props.autoFocus}
          spellCheck={false}
          maxLength={1000}
          value={text}
          error={props.error}
          onChange={(event) => set(event.target.value)}
        />
      )}
      {others.slice(0, 3).map((other) => (
        <Button key={other} size="small" kind="quiet" className="max-w-full self-start" onClick={() => set(other)}>
          <span className="truncate">{words.same(other)}</span>
        </Button>
      ))}
    </div>
  );
}

type TextProps = CorrectionInputProps & { text: string };

function ChoiceInput({ input, text, error, autoFocus, onChange }: TextProps) {
  const { field, choices = [] } = input;
  return (
    <SelectField
      label={fieldName(field)}
      autoFocus={autoFocus}
      value={text}
      error={error}
      onChange={(event) => onChange({ [field]: event.target.value })}
    >
      <option value="">{field === "relationship_to_insured" ? words.self : words.notEntered}</option>
      {text !== "" && !choices.includes(text) && <option value={text}>{words.current(text.slice(0, 80))}</option>}
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {GENDER_LABELS.get(choice) ?? capitalize(choice.replaceAll("_", " "))}
        </option>
      ))}
    </SelectField>
  );
}

const GENDER_LABELS = new Map<string, string>(GENDERS);

/** The ID is that of the export, and null if the conversion finds the payer by name. */
const payerOf = (carrier: string, id: number | null) => ({ carrier, insurance_company: id });

function PayerInput({ runPath, text, error, autoFocus, onChange }: TextProps) {
  const [search, setSearch] = useState("");
  const { found, error: failure, isStale } = useRunPayers(runPath, search);
  return (
    <SearchSelect
      name="carrier"
      label={words.payer}
      error={error}
      autoFocus={autoFocus}
      shown={text}
      value={text}
      placeholder={words.payerPlaceholder}
      search={search}
      onSearch={setSearch}
      choices={found?.map(({ carrier }) => ({ value: carrier, label: carrier }))}
      isStale={isStale}
      problem={failure?.message}
      onPick={(name) => onChange(payerOf(name, found?.find(({ carrier }) => carrier === name)?.id ?? null))}
      onFreeText={(name) => onChange(payerOf(name, null))}
      onClear={() => onChange(payerOf("", null))}
    />
  );
}

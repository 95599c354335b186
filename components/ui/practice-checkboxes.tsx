"use client";

import { CheckField } from "./check-field";
import { practiceCheckboxes as text } from "./messages/practice-checkboxes";

export interface PracticeChoice {
  id: number;
  name: string;
}

interface PracticeCheckboxesProps {
  /** The practices the signed-in admin has access to. */
  practices: readonly PracticeChoice[];
  /** The practice of the current page, which always stays selected. */
  current: number;
  value: readonly number[];
  onChange: (value: number[]) => void;
  error?: string | undefined;
}

/** Selects practices. */
export function PracticeCheckboxes({ practices, current, value, onChange, error }: PracticeCheckboxesProps) {
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 font-medium">{text.legend}</legend>
      {practices.map(({ id, name }) => (
        <CheckField
          key={id}
          label={name}
          help={id === current && text.always}
          checked={value.includes(id)}
          disabled={id === current}
          onChange={(event) => onChange(event.target.checked ? [...value, id] : value.filter((other) => other !== id))}
        />
      ))}
      {error && <p className="text-bad">{error}</p>}
    </fieldset>
  );
}

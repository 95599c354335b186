"use client";

import { CheckField } from "./field";

export interface PracticeChoice {
  id: number;
  name: string;
}

/** Practices to tick: the admin's own. The one whose page it is always stays ticked. */
export function PracticeBoxes(props: {
  practices: readonly PracticeChoice[];
  here: number;
  value: readonly number[];
  onChange: (value: number[]) => void;
  error?: string | undefined;
}) {
  const { practices, here, value, onChange, error } = props;
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 font-medium">Practices</legend>
      {practices.map(({ id, name }) => (
        <CheckField
          key={id}
          label={name}
          checked={value.includes(id)}
          disabled={id === here}
          onChange={(event) => onChange(event.target.checked ? [...value, id] : value.filter((other) => other !== id))}
        />
      ))}
      {error && <p className="text-bad">{error}</p>}
    </fieldset>
  );
}

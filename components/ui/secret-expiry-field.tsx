import { SelectField } from "./field";

interface SecretExpiryFieldProps {
  label: string;
  help: string;
  options: readonly { hours: number; label: string }[];
  /** In hours. */
  value: number;
  onChange: (hours: number) => void;
}

/** Asks how long the old secret stays valid when a new one replaces it. */
export function SecretExpiryField({ label, help, options, value, onChange }: SecretExpiryFieldProps) {
  return (
    <SelectField label={label} help={help} value={value} onChange={(event) => onChange(Number(event.target.value))}>
      {options.map((option) => (
        <option key={option.hours} value={option.hours}>
          {option.label}
        </option>
      ))}
    </SelectField>
  );
}

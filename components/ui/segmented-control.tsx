import { classNames } from "./class-names";

interface SegmentedControlProps<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}

/** Selects one of a few options that are all visible. */
export function SegmentedControl<T extends string>({ label, value, options, onChange }: SegmentedControlProps<T>) {
  return (
    <fieldset className="border-edge/60 flex h-8 overflow-hidden rounded-md border">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
          className={classNames(
            "px-2.5 font-medium focus-visible:-outline-offset-2",
            option.value === value ? "bg-accent-soft text-accent" : "bg-raised hover:bg-sunken",
          )}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}

"use client";

import { Input } from "@/components/ui/controls";
import { Summary } from "@/components/ui/disclosure";
import { SCOPE_TABLE, SPECIFIC_SCOPES } from "@/lib/access/identity/scopes";
import { scopePicker as text } from "./messages";

type Permission = "read" | "write";
const PERMISSIONS: readonly Permission[] = ["read", "write"];
const KNOWN: ReadonlySet<string> = new Set(SPECIFIC_SCOPES);

const listScopes = (resources: readonly string[], permission: Permission) =>
  resources.map((resource) => `system/${resource}.${permission}`).filter((scope) => KNOWN.has(scope));

interface PickerProps {
  value: readonly string[];
  onChange: (value: string[]) => void;
}

/** Picks scopes from the scope table: everything, whole groups, or single resources. */
export function ScopePicker({ value, onChange }: PickerProps) {
  const groups = Object.entries(SCOPE_TABLE);
  const all = groups.flatMap(([, { resources }]) => [...resources]);
  const picker = {
    value: new Set(value),
    set: (scopes: readonly string[], on: boolean) => onChange(withScopes(value, scopes, on)),
  };
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">
        {text.legend}{" "}
        <span role="status" className="text-soft font-normal">
          {text.count(value.length, SPECIFIC_SCOPES.length)}
        </span>
      </legend>
      <div className="border-line rounded-md border">
        <div className="bg-sunken flex items-center gap-2 rounded-t-md px-3 py-1">
          <span className="flex-1 font-medium">{text.all}</span>
          <PermissionBoxes of={text.allOf} resources={all} {...picker} />
        </div>
        {groups.map(([group, { resources }]) => (
          <Group key={group} name={group} resources={resources} {...picker} />
        ))}
      </div>
    </fieldset>
  );
}

function withScopes(value: readonly string[], scopes: readonly string[], on: boolean): string[] {
  const next = new Set(value);
  for (const scope of scopes) {
    if (on) next.add(scope);
    else next.delete(scope);
  }
  // In the table's order, so that equal choices make equal lists.
  return SPECIFIC_SCOPES.filter((scope) => next.has(scope));
}

interface Picker {
  value: ReadonlySet<string>;
  set: (scopes: readonly string[], on: boolean) => void;
}

function Group({ name, resources, ...picker }: Picker & { name: string; resources: readonly string[] }) {
  const chosen = PERMISSIONS.flatMap((permission) => listScopes(resources, permission)).filter((scope) =>
    picker.value.has(scope),
  ).length;
  return (
    <div className="border-line relative border-t">
      <details>
        <Summary className="hover:bg-sunken min-h-8 px-3 py-1 pr-40">
          <span className="min-w-0">
            {name}
            <span className="text-soft"> · {chosen > 0 ? text.chosen(chosen) : resources.length}</span>
          </span>
        </Summary>
        <ul className="pb-1">
          {resources.map((resource) => (
            <li key={resource} className="flex items-center gap-2 px-3 pl-8">
              <code className="min-w-0 flex-1 font-mono break-all">{resource}</code>
              <PermissionBoxes of={resource} resources={[resource]} {...picker} />
            </li>
          ))}
        </ul>
      </details>
      <div className="absolute top-0 right-3 flex min-h-8 items-center">
        <PermissionBoxes of={name} resources={resources} {...picker} />
      </div>
    </div>
  );
}

/** Shows checkboxes to read and to write resources, indeterminate if only some of the resources are selected. */
function PermissionBoxes({ of, resources, value, set }: Picker & { of: string; resources: readonly string[] }) {
  return (
    <span className="flex shrink-0 gap-3">
      {PERMISSIONS.map((permission) => {
        const scopes = listScopes(resources, permission);
        const chosen = scopes.filter((scope) => value.has(scope)).length;
        return (
          <label key={permission} className="flex min-h-6 w-15 items-center gap-1.5">
            <Input
              type="checkbox"
              aria-label={permission === "read" ? text.readOf(of) : text.writeOf(of)}
              disabled={scopes.length === 0}
              checked={chosen > 0 && chosen === scopes.length}
              ref={(box) => {
                if (box) box.indeterminate = chosen > 0 && chosen < scopes.length;
              }}
              onChange={(event) => set(scopes, event.target.checked)}
              className="accent-accent size-4"
            />
            <span aria-hidden className={scopes.length === 0 ? "text-soft" : undefined}>
              {permission === "read" ? text.read : text.write}
            </span>
          </label>
        );
      })}
    </span>
  );
}

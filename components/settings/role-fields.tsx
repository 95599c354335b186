import { CheckField } from "@/components/ui/check-field";
import { SelectField } from "@/components/ui/field";
import { exportsByDefault, type StaffRole } from "@/lib/access/staff/roles";
import { memberForm as text } from "./messages/members";

const ROLE_NAMES: readonly StaffRole[] = ["admin", "staff", "viewer"];

interface RoleFieldsProps {
  role: StaffRole;
  canExport: boolean;
  disabled: boolean;
  onChange: (value: { role: StaffRole; canExport: boolean }) => void;
}

/** Shows a member's role and right to export data. Choosing a role resets the right to the role's default. */
export function RoleFields({ role, canExport, disabled, onChange }: RoleFieldsProps) {
  return (
    <>
      <SelectField
        label={text.role}
        required
        disabled={disabled}
        help={text.roleHelp}
        value={role}
        onChange={(event) => {
          const chosen = ROLE_NAMES.find((name) => name === event.target.value) ?? role;
          onChange({ role: chosen, canExport: exportsByDefault(chosen) });
        }}
      >
        {ROLE_NAMES.map((value) => (
          <option key={value} value={value}>
            {text.roles[value]}
          </option>
        ))}
      </SelectField>
      <CheckField
        label={text.canExport}
        help={text.canExportHelp}
        checked={canExport || role === "admin"}
        disabled={disabled || role === "admin"}
        onChange={(event) => onChange({ role, canExport: event.target.checked })}
      />
    </>
  );
}

import { CheckField } from "@/components/ui/check-field";
import { SelectField } from "@/components/ui/field";
import { exportsByDefault, type StaffRole } from "@/lib/access/staff/roles";

const ROLES: Record<StaffRole, string> = {
  admin: "Admin: settings, members, events, API clients",
  staff: "Staff: changes patients' insurance",
  viewer: "Viewer: reads only",
};

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
        label="Role"
        required
        disabled={disabled}
        help="The same in all practices of the member. Takes effect immediately."
        value={role}
        onChange={(event) => {
          const chosen = ROLE_NAMES.find((name) => name === event.target.value) ?? role;
          onChange({ role: chosen, canExport: exportsByDefault(chosen) });
        }}
      >
        {ROLE_NAMES.map((value) => (
          <option key={value} value={value}>
            {ROLES[value]}
          </option>
        ))}
      </SelectField>
      <CheckField
        label="Can export data"
        help="Download patients, findings and reports as files. Admins always can."
        checked={canExport || role === "admin"}
        disabled={disabled || role === "admin"}
        onChange={(event) => onChange({ role, canExport: event.target.checked })}
      />
    </>
  );
}

import { Copyable } from "@/components/ui/copyable";
import { DetailList } from "@/components/ui/detail-list";
import { Effective } from "./effective";
import { formatMoney, type Policy } from "./fields";

type CounterPolicy = Pick<
  Policy,
  "member_id" | "group_id" | "phone" | "extension" | "copay" | "start_date" | "end_date"
>;

/** Shows what staff need of a policy while the patient is at the counter. */
export function CounterDetails({ policy }: { policy: CounterPolicy }) {
  const { member_id, group_id, phone, extension, copay, start_date: start, end_date: end } = policy;
  if (![member_id, group_id, phone, copay, start, end].some(Boolean))
    return <p className="text-soft mt-1.5">No member ID, group number or dates on file</p>;
  return (
    <DetailList
      details={[
        ["Member ID", member_id && <Copyable value={member_id} label="member ID" />],
        ["Group number", group_id && <Copyable value={group_id} label="group number" />],
        ["Payer phone", phone && <Copyable value={extension ? `${phone} ext. ${extension}` : phone} label="phone" />],
        ["Copay", copay && <span className="font-mono">{formatMoney(copay)}</span>],
        ["Effective", (start || end) && <Effective start={start} end={end} />],
      ]}
    />
  );
}

import { Copyable } from "@/components/ui/copyable";
import { DetailList } from "@/components/ui/detail-list";
import { Effective } from "./effective";
import { formatMoney, type Policy } from "./fields";
import { counterDetails as text } from "./messages/at-a-glance";

type CounterPolicy = Pick<
  Policy,
  "member_id" | "group_id" | "phone" | "extension" | "copay" | "start_date" | "end_date"
>;

/** Shows what staff need of a policy while the patient is at the counter. */
export function CounterDetails({ policy }: { policy: CounterPolicy }) {
  const { member_id, group_id, phone, extension, copay, start_date: start, end_date: end } = policy;
  if (![member_id, group_id, phone, copay, start, end].some(Boolean))
    return <p className="text-soft mt-1.5">{text.none}</p>;
  return (
    <DetailList
      details={[
        [text.memberId, member_id && <Copyable value={member_id} label={text.copyMemberId} />],
        [text.groupNumber, group_id && <Copyable value={group_id} label={text.copyGroupNumber} />],
        [
          text.phone,
          phone && (
            <Copyable value={extension ? text.phoneWithExtension(phone, extension) : phone} label={text.copyPhone} />
          ),
        ],
        [text.copay, copay && <span className="font-mono">{formatMoney(copay)}</span>],
        [text.effective, (start || end) && <Effective start={start} end={end} />],
      ]}
    />
  );
}

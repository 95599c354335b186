import { Status } from "@/components/ui/status";
import { Time } from "@/components/ui/time";
import type { Readiness } from "@/lib/migration/readiness/queries";
import { signOffs as text } from "./messages/readiness";

/** Shows the go and no-go decisions, each with the figures it was based on. */
export function SignOffs({ signOffs }: { signOffs: Readiness["sign_offs"] }) {
  if (signOffs.length === 0) return <p className="text-soft">{text.none}</p>;
  return (
    <ul className="flex flex-col gap-2">
      {signOffs.map(({ id, decision, reason, figures, actor, signed_date }) => (
        <li key={id} className="border-line bg-raised break-inside-avoid rounded-md border px-3 py-2">
          <p className="flex flex-wrap items-center gap-x-3">
            <Status kind={decision === "go" ? "good" : "failed"}>{decision === "go" ? text.go : text.noGo}</Status>
            <span className="text-soft">
              {text.figures(actor.name, <Time value={signed_date} exact />, figures.percent, figures.parts)}
            </span>
          </p>
          <p>{reason}</p>
        </li>
      ))}
    </ul>
  );
}

import { Button } from "@/components/ui/button";
import { Time } from "@/components/ui/time";
import type { ClientView } from "@/lib/practice/practices/staff-queries";
import type { Open } from "./clients";
import { clientSecrets as text } from "./messages";

/** Shows the valid secrets of a client, each with a button to revoke it. */
export function ClientSecrets({ client, onOpen }: { client: ClientView; onOpen: (open: Open) => void }) {
  return (
    <div className="min-w-0">
      <h3 className="text-soft">{text.title}</h3>
      {client.secrets.length === 0 && <p>{text.none}</p>}
      <ul className="flex flex-col gap-1">
        {client.secrets.map((secret) => (
          <li key={secret.id} className="flex flex-wrap items-center justify-between gap-x-3">
            <span className="min-w-0">
              {text.created(<Time value={secret.created_date} />)}
              {secret.expires_date && (
                <span className="text-warn">{text.expires(<Time value={secret.expires_date} />)}</span>
              )}
            </span>
            {!client.elsewhere && (
              <Button
                kind="danger"
                size="small"
                aria-label={text.revokeLabel(secret.id, client.name)}
                onClick={() => onOpen({ act: "revoke", client, secretId: secret.id })}
              >
                {text.revoke}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

import { headers } from "next/headers";
import { config } from "@/lib/config";
import styles from "./page.module.css";

/** The address clients reach the API at: the setting's, or the one this page was asked for. */
async function apiAddress(): Promise<string> {
  // Asked first: it makes the page one that is rendered for each request, so that no setting is built into it.
  const sent = await headers();
  const { PUBLIC_URL } = config();
  if (PUBLIC_URL) return new URL("/api/2.0/", PUBLIC_URL).href;
  const protocol = sent.get("x-forwarded-proto") ?? "http";
  return `${protocol}://${sent.get("host") ?? "localhost"}/api/2.0/`;
}

export default async function Home() {
  return (
    <main className={styles.page}>
      <h1 className={styles.title}>Crosswalk</h1>
      <p className={styles.lead}>
        Clinical practice API 2.0 with versioned insurance policies, and the move from legacy patient insurances to
        them.
      </p>
      <dl className={styles.list}>
        <div className={styles.row}>
          <dt>Base address</dt>
          <dd>
            <code>{await apiAddress()}</code>
          </dd>
        </div>
        <div className={styles.row}>
          <dt>Access token</dt>
          <dd>
            <code>POST oauth2/token/</code> with <code>grant_type=client_credentials</code> and the client’s id and
            secret
          </dd>
        </div>
        <div className={styles.row}>
          <dt>Requests</dt>
          <dd>
            <code>Authorization: Bearer ACCESS_TOKEN</code>
          </dd>
        </div>
        <div className={styles.row}>
          <dt>Documentation</dt>
          <dd>
            <code>README.md</code> in the project: tokens, settings, running and testing
          </dd>
        </div>
      </dl>
    </main>
  );
}

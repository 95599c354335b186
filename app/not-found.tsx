import type { Metadata } from "next";
import { ErrorPage } from "@/components/shell/error-page";
import { buttonClass } from "@/components/ui/button-class";

export const metadata: Metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <main>
      <ErrorPage
        title="This page does not exist"
        actions={
          <a href="/" className={buttonClass({ kind: "primary" })}>
            Go to your practice
          </a>
        }
      >
        The address may be mistyped, or it belongs to a practice that you are not a member of. An admin of that practice
        can add you.
      </ErrorPage>
    </main>
  );
}

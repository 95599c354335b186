import type { Metadata } from "next";
import { ErrorPage } from "@/components/shell/error-page";
import { notFound as text } from "@/components/shell/messages/errors";
import { buttonClass } from "@/components/ui/button-class";

export const metadata: Metadata = { title: text.documentTitle };

export default function NotFound() {
  return (
    <main>
      <ErrorPage
        title={text.title}
        actions={
          <a href="/" className={buttonClass({ kind: "primary" })}>
            {text.toPractice}
          </a>
        }
      >
        {text.detail}
      </ErrorPage>
    </main>
  );
}

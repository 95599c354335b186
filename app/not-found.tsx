import type { Metadata } from "next";
import { Trouble } from "@/components/shell/trouble";
import { ButtonLink } from "@/components/ui/button";

export const metadata: Metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <main>
      <Trouble
        title="This page does not exist"
        actions={
          <ButtonLink href="/" kind="primary">
            Go to your practice
          </ButtonLink>
        }
      >
        The address may be mistyped, or it is of a practice you do not belong to. An admin of that practice can add you.
      </Trouble>
    </main>
  );
}

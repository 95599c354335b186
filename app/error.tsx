"use client";

import { Failure, type FailureProps } from "@/components/shell/failure";
import { ButtonLink } from "@/components/ui/button";

export default function AppError(props: FailureProps) {
  return (
    <main>
      <Failure {...props} way={<ButtonLink href="/">Go to your practice</ButtonLink>} />
    </main>
  );
}

"use client";

import { Failure, type FailureProps } from "@/components/shell/failure";
import { buttonLook } from "@/components/ui/button-look";

export default function AppError(props: FailureProps) {
  return (
    <main>
      <Failure
        {...props}
        way={
          <a href="/" className={buttonLook({})}>
            Go to your practice
          </a>
        }
      />
    </main>
  );
}

"use client";

import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { practiceRecords as text } from "./messages/new-run";
import { runPath } from "./paths";

/** Starts a run over the practice's own legacy records, which needs no upload. */
export function PracticeRecords({ practice }: { practice: number }) {
  const router = useRouter();
  const start = useMutation({
    mutationFn: () => staffCall<{ id: number }>(`practices/${practice}/migrations/own`, { method: "POST", body: {} }),
    onSuccess: ({ id }) => router.push(`${runPath(practice, id)}?step=check`),
  });
  return (
    <div className="border-line bg-raised mb-6 flex max-w-2xl flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded-md border px-4 py-3">
      <div>
        <p className="font-medium">{text.title}</p>
        <p className="text-soft">{text.lead}</p>
        {start.error && (
          <p role="alert" className="text-bad">
            {start.error.message}
          </p>
        )}
      </div>
      <Button busy={start.isPending} onClick={() => start.mutate()}>
        {text.submit}
      </Button>
    </div>
  );
}

"use client";

import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { policyName } from "@/components/policies/fields";
import { checkIfLost } from "@/components/policies/lost-answers";
import { CallError, isUncertain } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { LeaveGuard } from "@/components/ui/leave-guard";
import { Notice } from "@/components/ui/notice";
import { useToasts } from "@/components/ui/toasts";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";
import { OrderPreview } from "./order-preview";
import { moveSlot, toRanks, toSlots } from "./rank-slots";
import { SortablePolicies } from "./sortable-policies";
import { patientPath, type ShownPolicy } from "./use-patient";

interface PolicyOrderProps {
  practice: number;
  data: PatientPage;
  refresh: () => Promise<PatientPage>;
  onClose: () => void;
}

const activeOf = (data: PatientPage) => data.policies.filter(({ status }) => status === "active");
const versionsIn = (policies: readonly ShownPolicy[]) =>
  JSON.stringify(policies.map(({ id, version }) => [id, version]).sort());

/** Brings the active policies into another order, by dragging or by keys, and says before what that does. */
export function PolicyOrder({ practice, data, refresh, onClose }: PolicyOrderProps) {
  const [policies, setPolicies] = useState(() => activeOf(data));
  const [slots, setSlots] = useState(() => toSlots(policies));
  const toast = useToasts();
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => panel.current?.focus(), []);

  const path = `${patientPath(practice, data.patient.id)}/policies/reorder`;
  const before = policies.map(({ id, rank }) => ({ id, rank }));
  const order = seenIn(policies, toRanks(slots));
  const rankOf = (id: number) => before.find((policy) => policy.id === id)?.rank ?? null;
  const changed = order.filter(({ id, rank }) => rank !== rankOf(id));
  const isOutdated = versionsIn(policies) !== versionsIn(activeOf(data));
  const nameIn = (id: number | null) => {
    const policy = policies.find((each) => each.id === id);
    return policy ? policyName(policy) : "nobody";
  };

  const undo = async (saved: readonly Versioned[]) => {
    const body = seenIn(saved, before);
    await staffCall(path, { method: "POST", body, reason: "Change of order undone" });
    await refresh();
  };
  /** The policies, where they came to stand in this order. */
  const findSaved = async (): Promise<Versioned[] | null> => {
    const now = activeOf(await refresh());
    const isSaved =
      now.length === order.length && order.every(({ id, rank }) => now.find((each) => each.id === id)?.rank === rank);
    return isSaved ? now : null;
  };
  const save = useMutation({
    mutationFn: () => checkIfLost(staffCall<Versioned[]>(path, { method: "POST", body: order }), findSaved),
    // Offline too, to say that it can't be.
    networkMode: "always",
    onError: (error) => (isStale(error) ? refresh().catch(() => {}) : undefined),
    onSuccess: async (saved) => {
      await refresh().catch(() => {});
      onClose();
      toast.success("The new order is saved.", () => {
        undo(saved).then(
          () => toast.success("The former order is back."),
          (error: Error) =>
            toast.error(isUncertain(error) ? error.message : `The order stays as it is. ${error.message}`),
        );
      });
    },
  });
  const startOver = () => {
    const present = activeOf(data);
    setPolicies(present);
    setSlots(toSlots(present));
    save.reset();
  };

  return (
    <div ref={panel} tabIndex={-1} className="flex flex-col gap-3 outline-none">
      <p className="text-soft">
        Drag a policy, or use its arrows. By keyboard: space takes the handle, arrows move it, space puts it down.
      </p>
      <SortablePolicies
        slots={slots}
        nameIn={nameIn}
        changed={new Set(changed.map(({ id }) => id))}
        onMove={(from, to) => setSlots(moveSlot(slots, from, to))}
        policies={policies}
      />
      {isOutdated && (
        <Notice tone="warning" live title="Somebody changed the policies meanwhile">
          <p className="mb-2">This order was made from the former ones. Start over with those that are there now.</p>
          <Button size="small" onClick={startOver}>
            Start over
          </Button>
        </Notice>
      )}
      {changed.length > 0 && !isOutdated && <OrderPreview path={path} order={order} rankOf={rankOf} nameIn={nameIn} />}
      {save.error && !isOutdated && (
        <Notice
          tone="bad"
          live
          title={isUncertain(save.error) ? "The order may have been saved" : "The order was not saved"}
        >
          {save.error.message} Your order is kept here.
        </Notice>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          disabled={changed.length === 0 || isOutdated}
          busy={save.isPending}
          onClick={() => save.mutate()}
        >
          Save order
        </Button>
      </div>
      <LeaveGuard unsaved={changed.length > 0 && !save.isPending} what="The new order of the policies" />
    </div>
  );
}

interface Versioned {
  id: number;
  version: number;
}

/** An order with the versions it was made from: the server takes it only while they are the present ones. */
function seenIn(policies: readonly Versioned[], order: readonly { id: number; rank: number | null }[]) {
  return order.map((entry) => ({ ...entry, version: policies.find(({ id }) => id === entry.id)?.version ?? 0 }));
}

const isStale = (error: unknown) => error instanceof CallError && error.code === "version_conflict";

"use client";

import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { policyName } from "@/components/policies/fields";
import { checkIfLost } from "@/components/policies/lost-responses";
import { policiesPath } from "@/components/policies/paths";
import { CallError, isUncertain } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { LeaveGuard } from "@/components/ui/leave-guard";
import { Notice } from "@/components/ui/notice";
import { useToasts } from "@/components/ui/toasts";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";
import { policyOrder as text } from "./messages/order";
import { OrderPreview } from "./order-preview";
import { moveSlot, toRanks, toSlots } from "./rank-slots";
import { SortablePolicies } from "./sortable-policies";
import type { ShownPolicy } from "./use-patient";

interface PolicyOrderProps {
  practice: number;
  data: PatientPage;
  refresh: () => Promise<PatientPage>;
  onClose: () => void;
}

/** Changes the order of the active policies by dragging or by keyboard, and previews the effects. */
export function PolicyOrder({ practice, data, refresh, onClose }: PolicyOrderProps) {
  const [policies, setPolicies] = useState(() => activePolicies(data));
  const [slots, setSlots] = useState(() => toSlots(policies));
  const toast = useToasts();
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => panel.current?.focus(), []);

  const path = `${policiesPath(practice, data.patient.id)}/reorder`;
  const before = policies.map(({ id, rank }) => ({ id, rank }));
  const order = withVersions(toRanks(slots), policies);
  const rankOf = (id: number) => before.find((policy) => policy.id === id)?.rank ?? null;
  const changed = order.filter(({ id, rank }) => rank !== rankOf(id));
  const isOutdated = versionKey(policies) !== versionKey(activePolicies(data));
  const nameOf = (id: number | null) => {
    const policy = policies.find((each) => each.id === id);
    return policy ? policyName(policy) : text.empty;
  };

  const undo = async (saved: readonly VersionedPolicy[]) => {
    const body = withVersions(before, saved);
    await staffCall(path, { method: "POST", body, reason: text.undoReason });
    await refresh();
  };
  /** Returns the policies if they have this order now. */
  const findSaved = async (): Promise<VersionedPolicy[] | null> => {
    const current = activePolicies(await refresh());
    const hasRank = ({ id, rank }: { id: number; rank: number | null }) =>
      current.find((policy) => policy.id === id)?.rank === rank;
    return current.length === order.length && order.every(hasRank) ? current : null;
  };
  const save = useMutation({
    mutationFn: () => checkIfLost(staffCall<VersionedPolicy[]>(path, { method: "POST", body: order }), findSaved),
    // Runs even while offline, so that the user learns that it can't be saved.
    networkMode: "always",
    onError: (error) => (isVersionConflict(error) ? refresh().catch(() => {}) : undefined),
    onSuccess: async (saved) => {
      await refresh().catch(() => {});
      onClose();
      toast.success(text.saved, () => {
        undo(saved).then(
          () => toast.success(text.undone),
          (error: Error) => toast.error(isUncertain(error) ? error.message : text.notUndone(error.message)),
        );
      });
    },
  });
  const startOver = () => {
    const current = activePolicies(data);
    setPolicies(current);
    setSlots(toSlots(current));
    save.reset();
  };

  return (
    <div ref={panel} tabIndex={-1} className="flex flex-col gap-3 outline-none">
      <p className="text-soft">{text.help}</p>
      <SortablePolicies
        slots={slots}
        nameOf={nameOf}
        changed={new Set(changed.map(({ id }) => id))}
        onMove={(from, to) => setSlots(moveSlot(slots, from, to))}
        policies={policies}
      />
      {isOutdated && (
        <Notice tone="warning" live title={text.changed}>
          <p className="mb-2">{text.changedHelp}</p>
          <Button size="small" onClick={startOver}>
            {text.startOver}
          </Button>
        </Notice>
      )}
      {changed.length > 0 && !isOutdated && <OrderPreview path={path} order={order} rankOf={rankOf} nameOf={nameOf} />}
      {save.error && !isOutdated && (
        <Notice tone="bad" live title={isUncertain(save.error) ? text.mayBeSaved : text.notSaved}>
          {text.kept(save.error.message)}
        </Notice>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{text.cancel}</Button>
        <Button
          kind="primary"
          disabled={changed.length === 0 || isOutdated}
          busy={save.isPending}
          onClick={() => save.mutate()}
        >
          {text.save}
        </Button>
      </div>
      <LeaveGuard unsaved={changed.length > 0 && !save.isPending} what={text.unsaved} />
    </div>
  );
}

interface VersionedPolicy {
  id: number;
  version: number;
}

const activePolicies = (data: PatientPage) => data.policies.filter(({ status }) => status === "active");

const versionKey = (policies: readonly ShownPolicy[]) =>
  JSON.stringify(policies.map(({ id, version }) => [id, version]).sort());

/** Adds the versions that an order is based on. The server rejects the order if any of them is no longer current. */
function withVersions(order: readonly { id: number; rank: number | null }[], policies: readonly VersionedPolicy[]) {
  return order.map((entry) => ({ ...entry, version: policies.find(({ id }) => id === entry.id)?.version ?? 0 }));
}

const isVersionConflict = (error: unknown) => error instanceof CallError && error.code === "version_conflict";

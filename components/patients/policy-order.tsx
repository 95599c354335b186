"use client";

import {
  type Announcements,
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { useMutation } from "@tanstack/react-query";
import { ChevronDown, ChevronUp, GripVertical } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { policyName, rankWord } from "@/components/policies/fields";
import { CallError, staffCall } from "@/components/session/staff-call";
import { Button, IconButton } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { LeaveGuard } from "@/components/ui/leave-guard";
import { Notice } from "@/components/ui/status";
import { useToasts } from "@/components/ui/toasts";
import type { PatientPage } from "@/lib/policies/patient-page-queries";
import { OrderPreview } from "./order-preview";
import { moveSlot, rankOfSlot, toRanks, toSlots } from "./rank-slots";
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
  const say = useToasts();
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
  const save = useMutation({
    mutationFn: () => staffCall<Versioned[]>(path, { method: "POST", body: order }),
    onError: (error) => (isStale(error) ? refresh().catch(() => {}) : undefined),
    onSuccess: async (saved) => {
      await refresh().catch(() => {});
      onClose();
      say.done("The new order is saved.", () => {
        undo(saved).then(
          () => say.done("The former order is back."),
          (error: Error) => say.failed(`The order stays as it is. ${error.message}`),
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
        <Notice tone="bad" live title="The order was not saved">
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

interface SortableProps {
  slots: readonly (number | null)[];
  policies: readonly ShownPolicy[];
  changed: ReadonlySet<number>;
  nameIn: (id: number | null) => string;
  onMove: (from: number, to: number) => void;
}

const keyOf = (id: number | null, at: number) => (id === null ? `empty-${at}` : `policy-${id}`);

function SortablePolicies({ slots, policies, changed, nameIn, onMove }: SortableProps) {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const keys = slots.map(keyOf);
  const placeOf = (key: unknown) => rankWord(rankOfSlot(keys.indexOf(String(key)))).toLowerCase();
  const nameOf = (key: unknown) => nameIn(slots[keys.indexOf(String(key))] ?? null);
  const announcements: Announcements = {
    onDragStart: ({ active }) => `Took ${nameOf(active.id)}, now ${placeOf(active.id)}.`,
    onDragOver: ({ active, over }) => (over ? `${nameOf(active.id)} over ${placeOf(over.id)}.` : undefined),
    onDragEnd: ({ active, over }) =>
      over ? `Put ${nameOf(active.id)} down as ${placeOf(over.id)}.` : `${nameOf(active.id)} stays where it was.`,
    onDragCancel: ({ active }) => `${nameOf(active.id)} stays ${placeOf(active.id)}.`,
  };
  const drop = ({ active, over }: DragEndEvent) => {
    if (over && active.id !== over.id) onMove(keys.indexOf(String(active.id)), keys.indexOf(String(over.id)));
  };
  return (
    <DndContext
      id="policy-order"
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={drop}
      accessibility={{
        announcements,
        screenReaderInstructions: {
          draggable: "Press space to take the policy, arrow keys to move it, space to put it down, escape to cancel.",
        },
      }}
    >
      <SortableContext items={keys} strategy={verticalListSortingStrategy}>
        <ol className="flex flex-col gap-1.5" aria-label="Order of the active policies">
          {slots.map((id, at) => (
            <Slot
              key={keyOf(id, at)}
              slot={keyOf(id, at)}
              at={at}
              last={slots.length - 1}
              policy={policies.find((policy) => policy.id === id)}
              isChanged={id !== null && changed.has(id)}
              onMove={onMove}
            />
          ))}
        </ol>
      </SortableContext>
    </DndContext>
  );
}

interface SlotProps {
  slot: string;
  at: number;
  last: number;
  policy: ShownPolicy | undefined;
  isChanged: boolean;
  onMove: (from: number, to: number) => void;
}

function Slot({ slot, at, last, policy, isChanged, onMove }: SlotProps) {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id: slot,
    disabled: { draggable: !policy },
  });
  const name = policy ? policyName(policy) : "";
  return (
    <li
      ref={setNodeRef}
      style={{ transform: CSS.Translate.toString(transform), transition: transition ?? undefined }}
      className={classNames(
        "flex min-h-11 items-center gap-2 rounded-md border px-2",
        policy ? "bg-raised" : "border-dashed",
        isChanged ? "border-accent" : "border-line",
        isDragging && "border-accent relative z-10 shadow-lg",
      )}
    >
      <span className="w-20 shrink-0 font-medium">{rankWord(rankOfSlot(at))}</span>
      {policy ? (
        <>
          <button
            type="button"
            ref={setActivatorNodeRef}
            {...attributes}
            {...listeners}
            aria-label={`Move ${name}`}
            className="text-soft hover:text-ink grid size-8 shrink-0 cursor-grab touch-none place-items-center rounded-md"
          >
            <GripVertical aria-hidden className="size-4" />
          </button>
          <span className="min-w-0 flex-1 truncate" title={name}>
            {name}
            {policy.member_id && <span className="text-soft font-mono"> {policy.member_id}</span>}
          </span>
          <IconButton label={`Move ${name} up`} disabled={at === 0} onClick={() => onMove(at, at - 1)}>
            <ChevronUp aria-hidden className="size-4" />
          </IconButton>
          <IconButton label={`Move ${name} down`} disabled={at === last} onClick={() => onMove(at, at + 1)}>
            <ChevronDown aria-hidden className="size-4" />
          </IconButton>
        </>
      ) : (
        <span className="text-soft">Empty</span>
      )}
    </li>
  );
}

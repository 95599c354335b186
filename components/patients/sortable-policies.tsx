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
import { ChevronDown, ChevronUp, GripVertical } from "lucide-react";
import { policyName, rankLabel } from "@/components/policies/fields";
import { IconButton } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { rankOfSlot } from "./rank-slots";
import type { ShownPolicy } from "./use-patient";

interface SortableProps {
  slots: readonly (number | null)[];
  policies: readonly ShownPolicy[];
  changed: ReadonlySet<number>;
  nameIn: (id: number | null) => string;
  onMove: (from: number, to: number) => void;
}

const keyOf = (id: number | null, at: number) => (id === null ? `empty-${at}` : `policy-${id}`);

/** The places of the policies, each to be dragged or moved by keys to another. */
export function SortablePolicies({ slots, policies, changed, nameIn, onMove }: SortableProps) {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const keys = slots.map(keyOf);
  const placeOf = (key: unknown) => rankLabel(rankOfSlot(keys.indexOf(String(key)))).toLowerCase();
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
      <span className="w-20 shrink-0 font-medium">{rankLabel(rankOfSlot(at))}</span>
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

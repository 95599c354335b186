"use client";

import {
  type Announcements,
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  type UniqueIdentifier,
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
import { type Slots, slotRank } from "./rank-slots";
import type { ShownPolicy } from "./use-patient";

interface SortablePoliciesProps {
  slots: Slots;
  policies: readonly ShownPolicy[];
  /** The policies whose rank changes. */
  changed: ReadonlySet<number>;
  nameOf: (id: number | null) => string;
  onMove: (from: number, to: number) => void;
}

const slotKey = (id: number | null, slot: number) => (id === null ? `empty-${slot}` : `policy-${id}`);

/** Lists policies in their slots. Each can be dragged, or moved by keyboard. */
export function SortablePolicies({ slots, policies, changed, nameOf, onMove }: SortablePoliciesProps) {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const keys = slots.map(slotKey);
  const indexOf = ({ id }: { id: UniqueIdentifier }) => keys.indexOf(String(id));
  const name = (item: { id: UniqueIdentifier }) => nameOf(slots[indexOf(item)] ?? null);
  const rank = (item: { id: UniqueIdentifier }) => rankLabel(slotRank(indexOf(item))).toLowerCase();
  const announcements: Announcements = {
    onDragStart: ({ active }) => `Picked up ${name(active)}, now ${rank(active)}.`,
    onDragOver: ({ active, over }) => (over ? `${name(active)} is over ${rank(over)}.` : undefined),
    onDragEnd: ({ active, over }) =>
      over ? `Dropped ${name(active)} as ${rank(over)}.` : `${name(active)} was not moved.`,
    onDragCancel: ({ active }) => `Canceled. ${name(active)} stays ${rank(active)}.`,
  };
  const drop = ({ active, over }: DragEndEvent) => {
    if (over && active.id !== over.id) onMove(indexOf(active), indexOf(over));
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
          draggable: "Press Space to pick up the policy, arrow keys to move it, Space to drop it, Escape to cancel.",
        },
      }}
    >
      <SortableContext items={keys} strategy={verticalListSortingStrategy}>
        <ol className="flex flex-col gap-1.5" aria-label="Order of the active policies">
          {slots.map((id, index) => (
            <Slot
              key={slotKey(id, index)}
              sortableId={slotKey(id, index)}
              index={index}
              lastIndex={slots.length - 1}
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
  sortableId: string;
  index: number;
  lastIndex: number;
  /** undefined for an empty slot. */
  policy: ShownPolicy | undefined;
  isChanged: boolean;
  onMove: (from: number, to: number) => void;
}

function Slot({ sortableId, index, lastIndex, policy, isChanged, onMove }: SlotProps) {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id: sortableId,
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
      <span className="w-20 shrink-0 font-medium">{rankLabel(slotRank(index))}</span>
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
          <IconButton label={`Move ${name} up`} disabled={index === 0} onClick={() => onMove(index, index - 1)}>
            <ChevronUp aria-hidden className="size-4" />
          </IconButton>
          <IconButton
            label={`Move ${name} down`}
            disabled={index === lastIndex}
            onClick={() => onMove(index, index + 1)}
          >
            <ChevronDown aria-hidden className="size-4" />
          </IconButton>
        </>
      ) : (
        <span className="text-soft">Empty</span>
      )}
    </li>
  );
}

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
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from "@dnd-kit/sortable";
import { rankPhrase } from "@/components/policies/fields";
import { policyOrder, dragAnnouncements as text } from "./messages/order";
import { type Slots, slotRank } from "./rank-slots";
import { SortableSlot } from "./sortable-slot";
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
  const rank = (item: { id: UniqueIdentifier }) => rankPhrase(slotRank(indexOf(item)));
  const announcements: Announcements = {
    onDragStart: ({ active }) => text.pickedUp(name(active), rank(active)),
    onDragOver: ({ active, over }) => (over ? text.over(name(active), rank(over)) : undefined),
    onDragEnd: ({ active, over }) => (over ? text.dropped(name(active), rank(over)) : text.notMoved(name(active))),
    onDragCancel: ({ active }) => text.canceled(name(active), rank(active)),
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
        screenReaderInstructions: { draggable: text.instructions },
      }}
    >
      <SortableContext items={keys} strategy={verticalListSortingStrategy}>
        <ol className="flex flex-col gap-1.5" aria-label={policyOrder.list}>
          {slots.map((id, index) => (
            <SortableSlot
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

"use client";

import { useSortable } from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { ChevronDown, ChevronUp, GripVertical } from "lucide-react";
import { policyName, rankLabel } from "@/components/policies/fields";
import { IconButton } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { policyOrder as text } from "./messages/order";
import { slotRank } from "./rank-slots";
import type { ShownPolicy } from "./use-patient";

interface SortableSlotProps {
  sortableId: string;
  index: number;
  lastIndex: number;
  /** undefined for an empty slot. */
  policy: ShownPolicy | undefined;
  isChanged: boolean;
  onMove: (from: number, to: number) => void;
}

/** Shows a slot, with a handle and buttons to move its policy. */
export function SortableSlot({ sortableId, index, lastIndex, policy, isChanged, onMove }: SortableSlotProps) {
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
            aria-label={text.move(name)}
            className="text-soft hover:text-ink grid size-8 shrink-0 cursor-grab touch-none place-items-center rounded-md"
          >
            <GripVertical aria-hidden className="size-4" />
          </button>
          <span className="min-w-0 flex-1 truncate" title={name}>
            {name}
            {policy.member_id && <span className="text-soft font-mono"> {policy.member_id}</span>}
          </span>
          <IconButton label={text.moveUp(name)} disabled={index === 0} onClick={() => onMove(index, index - 1)}>
            <ChevronUp aria-hidden className="size-4" />
          </IconButton>
          <IconButton
            label={text.moveDown(name)}
            disabled={index === lastIndex}
            onClick={() => onMove(index, index + 1)}
          >
            <ChevronDown aria-hidden className="size-4" />
          </IconButton>
        </>
      ) : (
        <span className="text-soft">{text.empty}</span>
      )}
    </li>
  );
}

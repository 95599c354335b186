"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/controls";
import { Dialog } from "@/components/ui/dialog";
import { Time } from "@/components/ui/time";
import { maskSsn } from "@/lib/insurance/fields/masked-ssn";
import { type FieldUnit, formatMoney, type Policy, rankLabel } from "./fields";
import { copyUnits, differingUnits, normalizeMoney, type PolicyForm, toForm } from "./form-values";
import { conflictDialog as text } from "./messages/save-problem";

type Side = "theirs" | "mine";

interface ConflictDialogProps {
  /** The version that the form was based on. */
  base: Policy;
  /** The current version. */
  theirs: Policy;
  mine: PolicyForm;
  onSave: (merged: PolicyForm) => void;
  onClose: () => void;
}

/**
 * Resolves a conflict between what the user typed and what someone else has saved, field by field. If only one side has changed a
 * field, its value is preselected.
 */
export function ConflictDialog({ base, theirs, mine, onSave, onClose }: ConflictDialogProps) {
  const was = toForm(base);
  const now = toForm(theirs);
  const units = differingUnits(now, mine);
  const changedByThem = new Set(differingUnits(was, now));
  const changedByMe = new Set(differingUnits(was, mine));
  const preselect = (unit: FieldUnit): Side | undefined => {
    if (!changedByThem.has(unit)) return "mine";
    return changedByMe.has(unit) ? undefined : "theirs";
  };
  const [picks, setPicks] = useState<Record<string, Side>>({});
  const pickOf = (unit: FieldUnit) => picks[unit.info.name] ?? preselect(unit);
  const undecided = units.filter((unit) => pickOf(unit) === undefined).length;
  const pickAll = (side: Side) => setPicks(Object.fromEntries(units.map(({ info }) => [info.name, side])));
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={text.title}
      description={text.description(theirs.version, <Time value={theirs.modified_date} />, base.version)}
      footer={
        <>
          <p role="status" className="text-soft mr-auto self-center max-[420px]:order-last">
            {undecided > 0 ? text.undecided(undecided) : text.decided}
          </p>
          <Button onClick={onClose}>{text.back}</Button>
          <Button
            kind="primary"
            disabled={undecided > 0}
            onClick={() => {
              const theirUnits = units.filter((unit) => pickOf(unit) === "theirs");
              onSave(copyUnits(mine, now, theirUnits));
            }}
          >
            {text.save}
          </Button>
        </>
      }
    >
      <div className="mb-3 flex flex-wrap gap-2">
        <Button size="small" onClick={() => pickAll("theirs")}>
          {text.allTheirs}
        </Button>
        <Button size="small" onClick={() => pickAll("mine")}>
          {text.allMine}
        </Button>
      </div>
      <div className="flex flex-col gap-4">
        {units.map((unit) => (
          <Difference
            key={unit.info.name}
            unit={unit}
            changedByBoth={preselect(unit) === undefined}
            values={{ was, theirs: now, mine }}
            pick={pickOf(unit)}
            onPick={(side) => setPicks({ ...picks, [unit.info.name]: side })}
          />
        ))}
      </div>
    </Dialog>
  );
}

interface DifferenceProps {
  unit: FieldUnit;
  changedByBoth: boolean;
  values: { was: PolicyForm } & Record<Side, PolicyForm>;
  pick: Side | undefined;
  onPick: (side: Side) => void;
}

function Difference({ unit, changedByBoth, values, pick, onPick }: DifferenceProps) {
  const { info } = unit;
  return (
    <fieldset className="min-w-0">
      <legend className="font-medium">
        {info.label}
        <span className="text-soft font-normal">
          {(changedByBoth ? text.bothChanged : text.was)(displayValue(values.was, unit))}
        </span>
      </legend>
      <div className="mt-1 grid gap-2 sm:grid-cols-2">
        {(["theirs", "mine"] as const).map((side) => (
          <label
            key={side}
            className="border-line hover:bg-sunken has-checked:border-accent has-checked:bg-accent-soft flex min-h-9 items-start gap-2 rounded-md border px-2.5 py-1.5"
          >
            <Input
              type="radio"
              name={`pick-${info.name}`}
              checked={pick === side}
              onChange={() => onPick(side)}
              className="accent-accent mt-0.5 size-4"
            />
            <span className="min-w-0">
              <span className="text-soft">{text[side]} </span>
              <span className="break-words">{displayValue(values[side], unit)}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function displayValue(form: PolicyForm, { info }: FieldUnit): string {
  const value = String(form[info.name] ?? "").trim();
  if (info.name === "rank") return rankLabel(value === "" ? null : Number(value));
  if (value === "") return text.empty;
  if (info.kind === "secret") return maskSsn(value);
  const amount = info.kind === "money" ? normalizeMoney(value) : "";
  return /^-?\d+\.\d\d$/.test(amount) ? formatMoney(amount) : value;
}

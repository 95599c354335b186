"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/controls";
import { Dialog } from "@/components/ui/dialog";
import { Time } from "@/components/ui/time";
import { maskSsn } from "@/lib/insurance/fields/masked-ssn";
import { type FieldUnit, formatMoney, type Policy, rankLabel } from "./fields";
import { copyUnits, differingUnits, normalizeMoney, type PolicyForm, toForm } from "./form-values";

type Side = "theirs" | "mine";

interface ConflictDialogProps {
  /** The policy as the form was opened on. */
  base: Policy;
  /** The policy as it stands now. */
  theirs: Policy;
  mine: PolicyForm;
  onSave: (merged: PolicyForm) => void;
  onClose: () => void;
}

/**
 * Two people changed one policy: what differs, field by field, to be decided. Where one side alone changed a field its
 * value is picked already; where both did, nothing is.
 */
export function ConflictDialog({ base, theirs, mine, onSave, onClose }: ConflictDialogProps) {
  const [was, now] = [toForm(base), toForm(theirs)];
  const units = differingUnits(now, mine);
  const names = (list: readonly FieldUnit[]) => new Set(list.map(({ info }) => info.name));
  const [byThem, byMe] = [names(differingUnits(was, now)), names(differingUnits(was, mine))];
  const preset = ({ info }: FieldUnit): Side | undefined =>
    byThem.has(info.name) ? (byMe.has(info.name) ? undefined : "theirs") : "mine";
  const [picks, setPicks] = useState<Record<string, Side>>({});
  const pickOf = (unit: FieldUnit) => picks[unit.info.name] ?? preset(unit);
  const open = units.filter((unit) => pickOf(unit) === undefined).length;
  const pickAll = (side: Side) => setPicks(Object.fromEntries(units.map(({ info }) => [info.name, side])));
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Somebody else changed this policy"
      description={
        <>
          It is at version {theirs.version} now, saved <Time value={theirs.modified_date} />; you began on version{" "}
          {base.version}. Nothing you typed is lost: decide field by field, then save.
        </>
      }
      footer={
        <>
          <p role="status" className="text-soft mr-auto self-center">
            {open > 0 ? `${open} ${open === 1 ? "field" : "fields"} to decide` : "All decided"}
          </p>
          <Button onClick={onClose}>Back to the form</Button>
          <Button
            kind="primary"
            disabled={open > 0}
            onClick={() =>
              onSave(
                copyUnits(
                  mine,
                  now,
                  // What they changed and I did not is theirs, and so is what I picked of theirs.
                  units.filter((unit) => pickOf(unit) === "theirs"),
                ),
              )
            }
          >
            Save again
          </Button>
        </>
      }
    >
      <div className="mb-3 flex flex-wrap gap-2">
        <Button size="small" onClick={() => pickAll("theirs")}>
          Theirs for all
        </Button>
        <Button size="small" onClick={() => pickAll("mine")}>
          Mine for all
        </Button>
      </div>
      <div className="flex flex-col gap-4">
        {units.map((unit) => (
          <Difference
            key={unit.info.name}
            unit={unit}
            both={preset(unit) === undefined}
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
  both: boolean;
  values: { was: PolicyForm } & Record<Side, PolicyForm>;
  pick: Side | undefined;
  onPick: (side: Side) => void;
}

function Difference({ unit, both, values, pick, onPick }: DifferenceProps) {
  const { info } = unit;
  return (
    <fieldset className="min-w-0">
      <legend className="font-medium">
        {info.label}
        <span className="text-soft font-normal">
          {both ? ": both changed it" : ""}, was {shown(values.was, unit)}
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
              <span className="text-soft">{side === "theirs" ? "Theirs" : "Mine"}: </span>
              <span className="break-words">{shown(values[side], unit)}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function shown(form: PolicyForm, { info }: FieldUnit): string {
  const value = String(form[info.name] ?? "").trim();
  if (info.name === "rank") return rankLabel(value === "" ? null : Number(value));
  if (value === "") return "empty";
  if (info.kind === "secret") return maskSsn(value);
  const amount = info.kind === "money" ? normalizeMoney(value) : "";
  return /^-?\d+\.\d\d$/.test(amount) ? formatMoney(amount) : value;
}

"use client";

import { Bar, BarChart, CartesianGrid, ReferenceLine, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { formatNumber } from "@/components/ui/format";
import type { LegacyDay } from "@/lib/practice/practices/legacy-usage";
import { legacyUse as text } from "./messages/practice";

const SHORT = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", timeZone: "UTC" });
const shortDay = (day: string) => SHORT.format(new Date(`${day}T00:00:00Z`));
const TICK = { fill: "var(--soft)", fontSize: 12 };

/** Reads and writes by day, stacked. The summary and the table have the same figures. */
export default function LegacyChart({ days, deadline }: { days: LegacyDay[]; deadline: string }) {
  return (
    <ResponsiveContainer width="100%" height="100%">
      <BarChart
        data={days}
        accessibilityLayer={false}
        margin={{ top: 8, right: 0, bottom: 0, left: 0 }}
        barCategoryGap="20%"
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="day"
          tickFormatter={shortDay}
          tick={TICK}
          tickLine={false}
          axisLine={{ stroke: "var(--line)" }}
          minTickGap={32}
        />
        <YAxis
          width={36}
          allowDecimals={false}
          tickFormatter={formatNumber}
          tick={TICK}
          tickLine={false}
          axisLine={false}
        />
        <Tooltip cursor={{ fill: "var(--sunken)" }} isAnimationActive={false} content={DayTip} />
        {days.some(({ day }) => day === deadline) && (
          <ReferenceLine x={deadline} stroke="var(--warn)" strokeDasharray="3 3" label={text.deadline} />
        )}
        <Bar dataKey="writes" stackId="use" fill="var(--accent)" isAnimationActive={false} />
        <Bar dataKey="reads" stackId="use" fill="var(--edge)" fillOpacity={0.45} isAnimationActive={false} />
      </BarChart>
    </ResponsiveContainer>
  );
}

interface TipProps {
  active?: boolean;
  payload?: readonly { payload?: LegacyDay }[];
}

function DayTip({ active, payload }: TipProps) {
  const day = payload?.[0]?.payload;
  if (!active || !day) return null;
  return (
    <div className="border-line bg-raised rounded-md border px-3 py-2 shadow-lg">
      <p className="font-medium">{shortDay(day.day)}</p>
      <p>{text.writesOf(day.writes)}</p>
      <p className="text-soft">{text.readsOf(day.reads)}</p>
    </div>
  );
}

"use client";

import { Area, AreaChart, CartesianGrid, ReferenceLine, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import type { Readiness, ReadinessDay } from "@/lib/migration/readiness/queries";
import { readinessChart as text } from "./messages/readiness";

const DAY_MS = 86_400_000;
const SHORT = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", year: "numeric", timeZone: "UTC" });
const toTime = (day: string) => Date.parse(`${day}T00:00:00Z`);
const shortDay = (time: number) => SHORT.format(new Date(time));
const TICK = { fill: "var(--soft)", fontSize: 12 };

type Point = { time: number; percent: number | null; day: ReadinessDay };

/** Shows the share of records that are converted and verified, by day. The table below the chart has the figures. */
export function ReadinessChart({ days, deadline }: Pick<Readiness, "days" | "deadline">) {
  const points: Point[] = days.map((day) => {
    const all = day.verified + day.convertible + day.person + day.refused;
    return { time: toTime(day.day), percent: all === 0 ? null : (day.verified * 100) / all, day };
  });
  const marks = [deadline.date, deadline.today, ...(deadline.rehearsal ? [deadline.rehearsal] : [])].map(toTime);
  const times = [...points.map(({ time }) => time), ...marks];
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const margin = Math.max(DAY_MS, (last - first) * 0.08);
  const domain: [number, number] = [first - margin, last + margin];
  const line = (time: number, label: string, color: string) => (
    <ReferenceLine
      x={time}
      stroke={color}
      strokeDasharray="3 3"
      label={{ value: label, position: "top", fill: "var(--soft)", fontSize: 12 }}
    />
  );
  return (
    <ResponsiveContainer width="100%" height="100%">
      <AreaChart data={points} accessibilityLayer={false} margin={{ top: 20, right: 8, bottom: 0, left: 0 }}>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="time"
          type="number"
          domain={domain}
          scale="time"
          tickFormatter={shortDay}
          tick={TICK}
          tickLine={false}
          axisLine={{ stroke: "var(--line)" }}
          minTickGap={48}
        />
        <YAxis
          domain={[0, 100]}
          width={44}
          tickFormatter={(value: number) => `${value}%`}
          tick={TICK}
          tickLine={false}
          axisLine={false}
        />
        <Tooltip isAnimationActive={false} content={DayTip} />
        {line(toTime(deadline.date), text.deadline, "var(--warn)")}
        {line(toTime(deadline.today), text.today, "var(--soft)")}
        {deadline.rehearsal && line(toTime(deadline.rehearsal), text.rehearsal, "var(--soft)")}
        <Area
          dataKey="percent"
          stroke="var(--accent)"
          fill="var(--accent)"
          fillOpacity={0.15}
          strokeWidth={2}
          dot
          isAnimationActive={false}
        />
      </AreaChart>
    </ResponsiveContainer>
  );
}

function DayTip({ active, payload }: { active?: boolean; payload?: readonly { payload?: Point }[] }) {
  const point = payload?.[0]?.payload;
  if (!active || !point) return null;
  const { day } = point;
  return (
    <div className="border-line bg-raised rounded-md border px-3 py-2 shadow-lg">
      <p className="font-medium">{shortDay(point.time)}</p>
      <p>{text.verified(day.verified)}</p>
      <p className="text-soft">{text.others(day.convertible, day.person, day.refused)}</p>
    </div>
  );
}

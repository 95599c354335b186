// Draws a Grafana dashboard on a plain page. uPlot also draws Grafana's own time series.
import type uPlotType from "uplot";

/** The part of a Grafana panel that is drawn. */
export interface Panel {
  type: "row" | "stat" | "timeseries";
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string }[];
  fieldConfig?: { defaults: { unit: string; custom?: { stacking: { mode: string } } } };
}

export interface PanelData {
  /** Seconds since 1970. */
  times: number[];
  /** One value per time. Null where Prometheus has no sample. */
  series: { name: string; values: (number | null)[] }[];
}

export interface DrawnPanel extends Panel {
  data: PanelData;
}

declare const uPlot: typeof uPlotType;

/** The style of the page. */
export const DASHBOARD_STYLE = `
  body { margin: 12px; background: #f4f5f5; color: #24292e; font: 13px "DejaVu Sans", sans-serif; display: grid; gap: 8px;
    grid-template-columns: repeat(24, 1fr); grid-auto-rows: 30px }
  section { background: white; border: 1px solid #d8dadd; border-radius: 2px; padding: 6px 8px; overflow: hidden }
  section.row { background: none; border: none; font-weight: 600 }
  h2 { margin: 0; font: inherit; font-weight: 600 }
  .value { font-size: 34px; text-align: center; padding-top: 16px }
  .u-legend { font-size: 11px !important; text-align: left !important }
  .u-legend .u-series > * { padding: 1px 4px !important }
  .empty { text-align: center; padding-top: 80px; color: #6e757c }`;

/** Draws the panels on an empty page. This function runs in the browser. */
export async function drawPanels({ panels, style }: { panels: DrawnPanel[]; style: string }): Promise<void> {
  const COLORS = ["#56a64b", "#3274d9", "#ff780a", "#8f3bb8", "#e02f44", "#e0b400", "#37872d", "#1f60c4"];
  const FONT = '11px "DejaVu Sans", sans-serif';
  /** How far apart ticks are, so that their times don't overlap. */
  const TICK_SPACE = 80;
  /** Above and below the content of a panel. */
  const PADDING = 16;
  const BYTES_PER_MIB = 1_048_576;
  const round = (value: number) => (value === 0 ? "0" : String(Number(value.toPrecision(3))));
  const UNITS: Record<string, (value: number) => string> = {
    none: round,
    reqps: (value) => `${round(value)}/s`,
    ops: (value) => `${round(value)}/s`,
    percentunit: (value) => `${round(value * 100)}%`,
    s: (value) => (value > 0 && value < 1 ? `${round(value * 1_000)} ms` : `${round(value)} s`),
    bytes: (value) => `${round(value / BYTES_PER_MIB)} MiB`,
  };
  /** Makes each chart as high as its panel allows. The size of a legend is known once it is drawn. */
  const resizes: (() => void)[] = [];
  document.head.append(Object.assign(document.createElement("style"), { textContent: style }));

  for (const { type, title, gridPos, fieldConfig, data } of panels) {
    const section = document.createElement("section");
    section.className = type;
    section.style.gridArea = `${gridPos.y + 1} / ${gridPos.x + 1} / span ${gridPos.h} / span ${gridPos.w}`;
    section.append(Object.assign(document.createElement("h2"), { textContent: title }));
    document.body.append(section);
    const format = UNITS[fieldConfig?.defaults.unit ?? ""] ?? round;
    if (type === "stat")
      addText(section, "value", format(data.series[0]?.values.findLast((value) => value !== null) ?? 0));
    if (type === "timeseries" && data.series.length === 0) addText(section, "empty", "No data");
    if (type === "timeseries" && data.series.length > 0)
      addChart(section, { data, format, isStacked: fieldConfig?.defaults.custom?.stacking.mode === "normal" });
  }
  await new Promise(requestAnimationFrame);
  for (const resize of resizes) resize();

  function addText(section: HTMLElement, className: string, textContent: string): void {
    section.append(Object.assign(document.createElement("div"), { className, textContent }));
  }

  function addChart(
    section: HTMLElement,
    { data, format, isStacked }: { data: PanelData; format: (value: number) => string; isStacked: boolean },
  ): void {
    const below = data.times.map(() => 0);
    const lines = data.series.map(({ values }) => {
      if (!isStacked) return values;
      return values.map((value, at) => {
        below[at] = (below[at] ?? 0) + (value ?? 0);
        return below[at] ?? 0;
      });
    });
    const series = data.series.map(({ name }, at) => {
      const stroke = COLORS[at % COLORS.length] ?? "black";
      return {
        label: name || "value",
        stroke,
        width: 1.5,
        points: { show: false },
        ...(isStacked ? { fill: stroke } : {}),
      };
    });
    // The line of the last series is the sum, so it is painted first.
    if (isStacked) {
      lines.reverse();
      series.reverse();
    }
    const timeOfDay = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(11, 19);
    const width = section.clientWidth - 16;
    const chart = new uPlot(
      {
        width,
        height: section.clientHeight,
        scales: { y: { range: (_chart, _min, max) => [0, (max || 1) * 1.1] } },
        axes: [
          { font: FONT, space: TICK_SPACE, values: (_chart, ticks) => ticks.map(timeOfDay) },
          { font: FONT, size: 76, values: (_chart, ticks) => ticks.map(format) },
        ],
        legend: { live: false },
        series: [{}, ...series],
      },
      [data.times, ...lines],
      section,
    );
    // The title is above the chart, and the legend below has as many lines as it needs.
    resizes.push(() => {
      const others = ["h2", ".u-legend"].map((part) => section.querySelector<HTMLElement>(part)?.offsetHeight ?? 0);
      const height = section.clientHeight - PADDING - others.reduce((sum, each) => sum + each, 0);
      chart.setSize({ width, height });
    });
  }
}

import type { Style } from "pdfmake";

/** Lengths are points, 1/72 inch; US Letter. */
const PAGE = { width: 612, height: 792 } as const;
export const MARGIN = { left: 54, top: 50, right: 54, bottom: 64 } as const;
export const TEXT_WIDTH = PAGE.width - MARGIN.left - MARGIN.right;
export const TEXT_HEIGHT = PAGE.height - MARGIN.top - MARGIN.bottom;

export const COLORS = {
  text: "#1c2430",
  muted: "#5b6675",
  line: "#c9d0d9",
  band: "#f2f4f7",
  alert: "#a61b12",
} as const;

export const STYLES = {
  practice: { fontSize: 13, bold: true },
  address: { fontSize: 9, color: COLORS.muted },
  title: { fontSize: 18, bold: true },
  heading: { fontSize: 11, bold: true },
  body: { fontSize: 10 },
  strong: { fontSize: 10, bold: true },
  label: { fontSize: 8, color: COLORS.muted },
  columnTitle: { fontSize: 8, bold: true, color: COLORS.muted },
  cell: { fontSize: 9 },
  alert: { fontSize: 9, bold: true, color: COLORS.alert },
  note: { fontSize: 8.5, color: COLORS.muted },
  footer: { fontSize: 8, color: COLORS.muted },
} satisfies Record<string, Style>;

export type StyleName = keyof typeof STYLES;

import type { ReactNode } from "react";

/** Frames of pages. */
export const page = {
  breadcrumb: "Breadcrumb",
  downloadFailed: (message: string) => `Download failed. ${message}`,
  unexpected: "Something went wrong.",
  /** On printed pages. */
  printed: (time: ReactNode) => <>Printed {time}</>,
  printedWith: (title: string, time: ReactNode) => (
    <>
      {title}. Printed {time}
    </>
  ),
};

/** Fields of any form. */
export const field = {
  /** Follows the label. */
  required: "(required)",
  reason: "Reason",
  reasonHelp: "Optional. Saved in the version history.",
  openCalendar: "Open calendar",
  datePlaceholder: "mm/dd/yyyy",
  /** `phrase` is a command in capitals, the same in every language: `ROLL BACK`. */
  confirm: (phrase: string) => `Type ${phrase} to confirm`,
};

/** Copies an identifier. `label` names it within a sentence: `member ID`. */
export const copy = {
  button: (label: string) => `Copy ${label}`,
  done: (label: string) => `Copied ${label}`,
};

/** Times that are less than a day away. */
export const relativeTime = {
  now: "just now",
  minutes: (count: number) => `${count} min`,
  hours: (count: number) => `${count} h`,
  /** `amount` is from `minutes` or `hours`. */
  past: (amount: string) => `${amount} ago`,
  future: (amount: string) => `in ${amount}`,
};

/** Tooltip of a time: in the practice's time zone, then in UTC. */
export const exactTime = (local: string, utc: string) => `${local} · ${utc} UTC`;

import { pluralize } from "@/components/ui/format";

/** Sends the events of a range of time again. Loads after the page. */
export const replayDialog = {
  title: (client: string) => `Replay events for ${client}?`,
  description: (target: string) =>
    `Sends this practice's events from the chosen time range to ${target} again. The client receives the current state of each record.`,
  from: "From",
  to: "Until",
  zone: (zone: string) => `Time zone: ${zone}. Choose at most 7 days.`,
  count: (events: number) =>
    events === 0
      ? "No delivered or failed events in this time range."
      : `${pluralize(events, "event")} will be sent again.`,
  submit: "Replay events",
  submitCount: (events: number) => `Replay ${pluralize(events, "event")}`,
  failed: "No events were replayed",
  reasonHelp: "For example: the receiver lost data. Saved in the history.",
};

export const gettingStarted = {
  title: "Getting started",
  lead: (done: number, all: number) => `${done} of ${all} steps done. This list disappears when all are done.`,
  done: "(done)",
  open: "(not done yet)",
  steps: {
    payers: {
      title: "Load the practice's payers",
      detail: "Upload the payers with the first export, or let a program add them through the API.",
    },
    import: { title: "Import a legacy export", detail: "The check writes nothing to patients' records." },
    review: { title: "Review the check", detail: "Fix or skip each record with an error." },
    rehearsal: {
      title: "Rehearse the deadline",
      detail: "An admin sets a rehearsal time in Settings, to see which programs would fail.",
    },
    sign_off: { title: "Sign off as Go", detail: "An admin signs off in the readiness report." },
    conversion: {
      title: "Convert and verify",
      detail: "An admin converts the run. The verification compares both stores.",
    },
    versioning: { title: "Turn on Insurance Versioning", detail: "An admin turns it on in Settings." },
  },
};

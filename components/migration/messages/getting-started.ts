export const gettingStarted = {
  title: "Getting started",
  lead: (done: number, all: number) => `${done} of ${all} steps done. This list disappears when all steps are done.`,
  done: "(done)",
  open: "(not done yet)",
  steps: {
    payers: {
      title: "Load the practice's payers",
      detail: "Upload the payers with the first export, or let an API client add them.",
    },
    import: { title: "Import a legacy export", detail: "The check doesn't change patient records." },
    review: { title: "Review the check", detail: "Fix or skip each record with an error." },
    rehearsal: {
      title: "Rehearse the deadline",
      detail: "An admin sets a rehearsal time in Settings to see which API clients would fail.",
    },
    sign_off: { title: "Sign off as Go", detail: "An admin signs off in the readiness report." },
    conversion: {
      title: "Convert and verify",
      detail: "An admin converts the run. Verification compares the policies with the legacy records.",
    },
    versioning: { title: "Turn on Insurance Versioning", detail: "An admin turns it on in Settings." },
  },
};

export const errorPage = { reference: "Reference" };

export const unexpectedError = {
  title: "This page couldn't load",
  detail:
    "Something failed while the page was loading. Everything you saved is safe. Try again in a moment. If it fails again, contact your Crosswalk administrator and describe what you were doing.",
  detailWithReference:
    "Something failed while the page was loading. Everything you saved is safe. Try again in a moment. If it fails again, send the reference below to your Crosswalk administrator.",
  retry: "Try again",
};

export const busy = {
  title: "Crosswalk is busy",
  detail: "This page can't be loaded at the moment. Everything you saved is safe. Crosswalk tries again automatically.",
};

export const globalError = {
  documentTitle: "This page couldn't load · Crosswalk",
  title: "Crosswalk couldn't load",
  detail:
    "Something failed while the page was loading. Everything you saved is safe. If reloading doesn't help, contact your Crosswalk administrator.",
  reload: "Reload",
};

export const notFound = {
  documentTitle: "Not found",
  title: "This page doesn't exist",
  detail:
    "The address may be mistyped, or it belongs to a practice that you are not a member of. An admin of that practice can add you.",
  inPractice: "It may have been deleted, or it belongs to another practice. Nothing was changed.",
  toPractice: "Go to your practice",
  findPatient: "Find a patient",
  toHome: "Go to Home",
};

export const forbidden = {
  adminPage: (page: string) => `Only admins can open ${page}`,
  staffPage: "Your account can only view records",
  needed: (role: "admin" | "staff", own: string) => `This page needs the ${role} role. Your role is ${own}.`,
  askAdmins: (admins: string) => `To change it, ask an admin of this practice: ${admins}.`,
  noAdmins: "This practice has no admin. To change your role, ask the operator of Crosswalk in your organization.",
};

export const product = {
  name: "Crosswalk",
  titles: "%s · Crosswalk",
  description: "Versioned insurance policies, and the migration to them.",
};

/** Words of the frame around every page. */
export const shell = {
  skip: "Skip to content",
  navigation: "Main",
  goTo: "Go to",
  paletteKeys: "Ctrl K",
  search: "Search or go to a page",
  developer: "Developer",
};

export const mainPageNames = {
  home: "Home",
  patients: "Patients",
  migration: "Migration",
  events: "Events",
  sync: "Sync",
  clients: "API clients",
  settings: "Settings",
};

export const practiceSwitcher = {
  trigger: (name: string) => `Practice: ${name}. Switch`,
  heading: "Practices",
};

export const userMenu = {
  trigger: (name: string) => `Account: ${name}`,
  account: (email: string, role: string) => `${email} · ${role}`,
  theme: "Theme",
  themes: { light: "Light", dark: "Dark", system: "Match system" },
  rows: "Rows",
  rowHeights: { dense: "Dense", comfortable: "Comfortable" },
  signOut: "Sign out",
  signOutFailed: "Couldn't sign you out. Try again.",
};

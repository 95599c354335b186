/** Errors of calls that did not reach the server or that it rejected. */
export const callErrors = {
  checkFirst: "The change may have been saved. Check before you try again.",
  signedOut: "You are signed out. Sign in to continue.",
  invalidFields: "Some fields are invalid. Check them and try again.",
  absent: "This record no longer exists. Choose another one.",
  reusedKey: "Your first attempt succeeded with the values you entered then. Check the list before you try again.",
  server: (status: number) => `The server returned an error (${status}).`,
  withCheck: (message: string) => `${message} ${callErrors.checkFirst}`,
  offline: "The server can't be reached. Check the connection and try again.",
  offlineChange: () => `The server can't be reached. ${callErrors.checkFirst}`,
};

/** Titles of the notice about a failed change. */
export const formErrors = {
  uncertain: "Couldn't confirm the change",
  inProgress: "Still in progress",
  done: "Already done",
};

export const signInErrors = {
  throttled: "Too many wrong passwords. Wait an hour, or sign in from a browser you have signed in from before.",
  throttledFor: (wait: string) =>
    `Too many wrong passwords. Try again in ${wait}, or sign in from a browser you have signed in from before.`,
  busy: "Too many people are signing in right now. Your password was not checked. Try again in a few seconds.",
  unavailable: "Sign-in is unavailable right now. Your email and password were not checked. Try again in a minute.",
  offline: "The server can't be reached. Check the connection and try again.",
  incorrect: "Incorrect email or password.",
  unknown:
    "No account matches the email address that your organization provided. Ask your Crosswalk administrator to add you.",
  other: "Couldn't sign you in. Try again.",
};

export const signInForm = {
  title: "Sign in",
  email: "Email address",
  password: "Password",
  organization: "Organization",
  organizationHelp: "You have an account in several organizations. Choose the one to sign in to.",
  submit: "Sign in",
  forgotten: "Forgot your password? Ask your Crosswalk administrator to reset it.",
  openId: (provider: string) => `Continue with ${provider}`,
};

export const signInDialog = {
  title: "Sign in again",
  description: "You were signed out. Sign in to continue where you left off. Your work on this page is kept.",
  newTab: "Opens a new tab. Come back here after you sign in.",
};

/** Sends a test event to the endpoint of a subscription. Loads after the page. */
export const testEventDialog = {
  title: (client: string) => `Send a test event to ${client}?`,
  description: (target: string) =>
    `Sends one signed event without patient data to ${target} now. It is marked as a test, and is not retried.`,
  submit: "Send test event",
  again: "Send another test event",
  close: "Close",
  cancel: "Cancel",
  failed: "The test event was not sent",
  delivered: "Test event delivered",
  notDelivered: "Test event not delivered",
  outcome: (status: number, milliseconds: number) => `Status ${status} after ${milliseconds} ms.`,
  noResponse: (milliseconds: number) => `No response after ${milliseconds} ms.`,
};

// Preloaded into a process: SIGUSR2 makes it reject a promise and throw an error. Both hold values of a row, as pg's errors do.
const failure = (message) => Object.assign(new Error(message), { detail: "Key (last_name)=(Lopez) already exists." });

process.on("SIGUSR2", () => {
  Promise.reject(failure("a rejection"));
  setImmediate(() => {
    throw failure("an exception");
  });
});

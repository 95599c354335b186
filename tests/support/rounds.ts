/** How many times as long as usual tests with random input or killed processes run. */
const FACTOR = Number(process.env.TEST_ROUNDS ?? 1);

/** Multiplies a number of repetitions, or a timeout in milliseconds, by TEST_ROUNDS. */
export const rounds = (usual: number) => Math.ceil(usual * FACTOR);

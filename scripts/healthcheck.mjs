// The health check of the container image, which has no curl: exits with 0 if this container's server or worker is ready.
const port = process.env.METRICS_PORT;

const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) }).catch(
  (error) => error,
);
if (!response.ok) {
  const reason = response instanceof Error ? (response.cause?.message ?? response.message) : await response.text();
  console.error(`✗ not ready: ${reason}`);
  process.exitCode = 1;
}

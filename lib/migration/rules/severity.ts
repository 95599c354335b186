/** An `error` keeps a record from being converted until somebody decides on it; a `warning` converts, and somebody should look. */
export type Severity = "error" | "warning";

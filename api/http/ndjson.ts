/** Whether the caller asked for newline-delimited JSON rather than one JSON value. */
export function wantsNdjson(accept: string): boolean {
  return accept.split(',').some((type) => /^\s*application\/x-ndjson\s*(;|$)/i.test(type));
}

/** A value on a line of its own. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

let scale = 1;

/** `--scale 0.1` makes the large tables a tenth as large: enough for a quick check. */
export function setScale(text: string): void {
  scale = Number(text);
  if (!(scale > 0)) throw new Error(`--scale takes a number above 0, not ${text}`);
}

/** Returns a number of rows at the scale of this run. */
export function scaled(rows: number): number {
  return Math.max(1_000, Math.round(rows * scale));
}

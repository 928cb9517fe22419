import type { Client } from '../client.ts';
import { PermissionError } from '../errors.ts';
import { type CommandLine, UsageError } from './settings.ts';

const BACK = /^(\d{1,4})([mhd])$/;
const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the current time for this key: that of its sandbox, whose clock may be ahead, or of this machine. */
export async function nowFor(client: Client, line: CommandLine): Promise<Date> {
  if (line.needed('key-id', 'KEY_ID').startsWith('pk_live_')) return new Date();
  try {
    return new Date((await client.sandboxClocks.get()).now);
  } catch (error) {
    // A webhooks-only key may not read the clock.
    if (error instanceof PermissionError) return new Date();
    throw error;
  }
}

/** Parses a flag that is a date, a date-time, or a span back from `now`. @throws UsageError for other values */
export function timeOf(text: string, flag: string, now: Date): Date {
  const [, count, unit = ''] = BACK.exec(text) ?? [];
  const at = count
    ? new Date(now.getTime() - Number(count) * (UNIT_MS[unit] ?? 0))
    : new Date(text);
  if (!Number.isNaN(at.getTime())) return at;
  throw new UsageError(`--${flag} is a date, a date-time, or 30m, 2h, 7d.`);
}

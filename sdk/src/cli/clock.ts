import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxClock } from '../generated/types.ts';
import type { Command } from './command.ts';
import { clientOf, UsageError } from './settings.ts';

const LOOK_MS = 250;
const SPAN = /^([1-9][0-9]{0,4})([smhd])$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const PERIOD_END = 'period-end';

/** Shows the sandbox clock and moves it forward. */
export const clockCommand: Command = {
  usage: `domain-marketplace clock [--json]
domain-marketplace clock advance <span, instant or ${PERIOD_END}> [--json]

  A span is like 90s, 30m, 1h or 7d; ${PERIOD_END} is the end of the settlement period.
  Waits until all that is due on the way is done. The clock never goes back.`,
  words: 2,
  options: { json: { type: 'boolean' } },
  async run({ line, say, signal }) {
    const [verb, where = ''] = line.positionals;
    const client = clientOf(line);
    let clock = await client.sandboxClocks.get({}, { signal });
    if (verb !== undefined) {
      if (verb !== 'advance') throw new UsageError(`Unknown verb: ${verb}.`);
      // Sends an instant even for a span, so that a repeated request moves the clock only once.
      clock = await client.sandboxClocks.advance({ to: readTarget(where, clock) }, { signal });
    }
    while (clock.status === 'advancing') {
      await sleep(LOOK_MS, undefined, { signal });
      clock = await client.sandboxClocks.get({}, { signal });
    }
    say(line.on('json') ? JSON.stringify(clock) : `${clock.now}  ${clock.status}`);
  },
};

function readTarget(where: string, clock: SandboxClock): string {
  if (where === PERIOD_END) return clock.settlement_period_ends_at;
  const [, count, unit = ''] = SPAN.exec(where) ?? [];
  const spanMs = Number(count) * (UNIT_MS[unit] ?? 0);
  const at = count === undefined ? new Date(where) : new Date(Date.parse(clock.now) + spanMs);
  if (!Number.isNaN(at.getTime())) return at.toISOString();
  throw new UsageError(`"${where}" is no span and no instant.`);
}

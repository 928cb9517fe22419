import { followEvents } from '../follow-events.ts';
import type { Command } from './command.ts';
import { describeEvent } from './print-event.ts';
import { clientOf, UsageError } from './settings.ts';

/** Prints the event history and follows it. */
export const eventsTailCommand: Command = {
  usage: `domain-marketplace events tail [--after-id <event id>] [--new] [--limit <n>] [--interval-ms <ms>] [--json]

  From the first event of the history, or after --after-id, or with --new only what happens from
  now on. --limit ends it after that many events.`,
  words: 0,
  options: {
    'after-id': { type: 'string' },
    new: { type: 'boolean' },
    limit: { type: 'string' },
    'interval-ms': { type: 'string' },
    json: { type: 'boolean' },
  },
  async run({ line, say, note, signal }) {
    const client = clientOf(line);
    const limit = countOf(line.text('limit'), '--limit') ?? Number.POSITIVE_INFINITY;
    let afterId = line.text('after-id');
    if (line.on('new')) {
      for await (const { id } of client.events.list.all(
        { after_id: afterId, limit: 100 },
        { signal },
      )) {
        afterId = id;
      }
      note('Waiting for events; Ctrl-C ends it.');
    }
    const intervalMs = countOf(line.text('interval-ms'), '--interval-ms') ?? 2_000;
    let printed = 0;
    for await (const event of followEvents(client, { afterId, intervalMs, signal })) {
      say(line.on('json') ? JSON.stringify(event) : describeEvent(event));
      printed += 1;
      if (printed >= limit) return;
    }
  },
};

function countOf(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`${flag} is a whole number above 0.`);
}

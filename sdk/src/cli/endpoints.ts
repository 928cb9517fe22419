import type { Client } from '../client.ts';
import type { WebhookEndpoint, WebhookEndpointChange } from '../generated/types.ts';
import type { Command } from './command.ts';
import { type CommandLine, clientOf, UsageError } from './settings.ts';
import { nowFor, timeOf } from './time.ts';

/** The verbs of `endpoints`; `id` is the second positional argument, an ID or `default`. */
const VERBS: Readonly<
  Record<string, (client: Client, line: CommandLine, id: string) => Promise<unknown>>
> = {
  list: async (client) => (await client.webhookEndpoints.list({ limit: 100 })).endpoints,
  create: (client, line) => {
    const { active: _, ...settings } = settingsOf(line);
    return client.webhookEndpoints.create({
      ...settings,
      url: line.needed('url', 'WEBHOOK_URL'),
      secret: line.text('webhook-secret'),
    });
  },
  get: (client, _, id) => client.webhookEndpoints.retrieve({ id }),
  update: (client, line, id) => client.webhookEndpoints.update({ id, ...settingsOf(line) }),
  pause: (client, _, id) => client.webhookEndpoints.update({ id, active: false }),
  resume: (client, _, id) => client.webhookEndpoints.update({ id, active: true }),
  delete: async (client, _, id) => {
    await client.webhookEndpoints.delete({ id });
    return { id, deleted: true };
  },
  'rotate-secret': (client, line, id) =>
    client.webhookEndpoints.rotateSecret({
      id,
      secret: line.text('webhook-secret'),
      overlap_hours: numberOf(line, 'overlap-hours'),
    }),
  test: (client, _, id) => client.webhookEndpoints.sendTest({ id }),
  replay: async (client, line, id) => {
    const from = line.needed('from', 'FROM');
    const now = await nowFor(client, line);
    return client.webhookEndpoints.replay({
      id,
      from: timeOf(from, 'from', now).toISOString(),
      to: timeOf(line.text('to') ?? now.toISOString(), 'to', now).toISOString(),
      event_types: typesOf(line),
    });
  },
  replayed: (client, _, id) => client.replays.get({ id }),
};

const WITHOUT_ID = ['list', 'create'];

/** Lists and changes the key's webhook endpoints. */
export const endpointsCommand: Command = {
  usage: `domain-marketplace endpoints list [--json]
domain-marketplace endpoints create --url <url> [settings] [--webhook-secret <secret>]
domain-marketplace endpoints get|update|pause|resume|delete|test <id> [settings]
domain-marketplace endpoints rotate-secret <id> [--webhook-secret <secret>] [--overlap-hours <n>]
domain-marketplace endpoints replay <id> --from <time> [--to <time>] [--events <types>]
domain-marketplace endpoints replayed <replay id>

  Settings: --url, --name, --events <types, comma-separated, or all>, --payload full|thin,
  --ordering none|per_subject, --max-per-second <n>, --header 'Name: value' (repeatable).
  "default" is the id of the endpoint of PUT /webhooks.
  --from and --to are a date, a date-time, or 30m, 2h, 7d ago by the clock of the sandbox; --to is now.`,
  words: 2,
  options: {
    url: { type: 'string' },
    name: { type: 'string' },
    events: { type: 'string' },
    payload: { type: 'string' },
    ordering: { type: 'string' },
    'max-per-second': { type: 'string' },
    header: { type: 'string', multiple: true },
    'webhook-secret': { type: 'string' },
    'overlap-hours': { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run({ line, say }) {
    const [verb = '', id] = line.positionals;
    const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    if (!run) throw new UsageError(`Unknown command: endpoints ${verb}`.trim());
    if (!WITHOUT_ID.includes(verb) && !id) throw new UsageError('Give the id of the endpoint.');
    const found = await run(clientOf(line), line, id ?? '');
    if (verb !== 'list' || line.on('json')) return say(JSON.stringify(found, null, 2));
    for (const endpoint of found as WebhookEndpoint[]) say(inOneLine(endpoint));
  },
};

function inOneLine(endpoint: WebhookEndpoint): string {
  const { id, name, url, event_types, health } = endpoint;
  const state = endpoint.disabled_reason ?? health.status;
  return [id, state.padEnd(8), name, url, event_types?.join(',') ?? 'all events'].join('  ');
}

function settingsOf(line: CommandLine): WebhookEndpointChange {
  const headers = line.texts('header').map((text) => {
    const [, name, value] = /^([^:]+):\s*(.*)$/.exec(text) ?? [];
    if (name === undefined || value === undefined) {
      throw new UsageError("--header is written 'Name: value'.");
    }
    return [name.trim(), value] as const;
  });
  const given = {
    url: line.text('url'),
    name: line.text('name'),
    event_types: typesOf(line),
    payload: line.text('payload') as WebhookEndpointChange['payload'],
    ordering: line.text('ordering') as WebhookEndpointChange['ordering'],
    max_per_second: numberOf(line, 'max-per-second'),
    headers: headers.length > 0 ? Object.fromEntries(headers) : undefined,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function typesOf(line: CommandLine): string[] | null | undefined {
  const text = line.text('events');
  return text === 'all' ? null : text?.split(',').map((type) => type.trim());
}

function numberOf(line: CommandLine, flag: string): number | undefined {
  const text = line.text(flag);
  if (text === undefined) return undefined;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UsageError(`--${flag} is a whole number.`);
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client.ts';
import { ConflictError } from '../errors.ts';
import type { Order, OrderStatus } from '../generated/types.ts';
import type { Command } from './command.ts';
import { clientOf, UsageError } from './settings.ts';

/** The statuses of an uninterrupted order. */
const LINE: readonly OrderStatus[] = [
  'MANUAL_REVIEW',
  'EXTERNALLY_PAID',
  'TRANSFER_IN_PROGRESS',
  'TRANSFER_COMPLETED',
  'SETTLED',
];
/** Final statuses that are one step away from any status from which the service allows them. */
const ENDS: readonly OrderStatus[] = ['REFUNDED', 'CANCELLED'];
const TARGETS = [...LINE, ...ENDS];

/** The order status that comes with each event. */
const BY_EVENT: Readonly<Record<string, OrderStatus>> = {
  'order.recorded': 'EXTERNALLY_PAID',
  'order.transfer_started': 'TRANSFER_IN_PROGRESS',
  'order.transfer_completed': 'TRANSFER_COMPLETED',
  'order.settled': 'SETTLED',
  'order.refunded': 'REFUNDED',
};

const PENDING_MS = 250;
const WORDS = ['coffee', 'travel', 'garden', 'music', 'fitness', 'books', 'pets', 'design'];
/** Prefixes with a special outcome in the sandbox. */
const RESERVED = /^(hold|reprice|sold|slow-transfer|fail-transfer)-/;

/** Moves a sandbox order to a status, which triggers the events on the way. */
export const triggerCommand: Command = {
  usage: `domain-marketplace trigger <status or event> [--order <public_id>] [--domain <domain>] [--json]

  ${TARGETS.join(', ')},
  ${Object.keys(BY_EVENT).join(', ')},
  webhook.ping.
  Without --order it records an order for --domain, or for a sandbox domain that it finds.`,
  words: 1,
  options: {
    order: { type: 'string' },
    domain: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run({ line, say, signal }) {
    const [wanted = ''] = line.positionals;
    const client = clientOf(line);
    const json = line.on('json');
    if (wanted === 'webhook.ping') {
      for (const { id, name } of await activeEndpoints(client)) {
        const sent = await client.webhookEndpoints.sendTest({ id }, { signal });
        const told = `${sent.delivery_id}  webhook.ping is on its way to ${name}`;
        say(json ? JSON.stringify(sent) : told);
      }
      return;
    }
    const target = TARGETS.find((status) => status === (BY_EVENT[wanted] ?? wanted));
    if (!target) throw new UsageError(`Unknown status or event: ${wanted || 'none given'}.`);
    if (!/_(sandbox|test)_/.test(line.needed('key-id', 'KEY_ID'))) {
      throw new UsageError('Only orders of the sandbox can be driven; use a sandbox key.');
    }
    const tell = (order: Order) => {
      if (!json) say(`${order.public_id}  ${order.domain}  ${order.status}`);
    };
    const given = line.text('order');
    let order: Order = given
      ? await client.orders.get({ public_id: given }, { signal })
      : await recordOrder(
          client,
          line.text('domain') ?? (await findDomain(client, target)),
          signal,
        );
    tell(order);
    while (order.status !== target) {
      order = await advance(client, order, nextStep(order.status, target), signal);
      tell(order);
    }
    if (json) say(JSON.stringify(order));
  },
};

/** Returns the active endpoints, including those of `listen`. */
async function activeEndpoints(client: Client) {
  const active = [];
  for await (const endpoint of client.webhookEndpoints.list.all({})) {
    if (endpoint.active) active.push(endpoint);
  }
  if (active.length > 0) return active;
  throw new UsageError(
    'No active endpoint. Start one with "domain-marketplace listen --register", or add one.',
  );
}

function nextStep(status: OrderStatus, target: OrderStatus): OrderStatus {
  if (ENDS.includes(target)) return target;
  const at = LINE.indexOf(status === 'PAID' ? 'EXTERNALLY_PAID' : status);
  const next = at < 0 || at >= LINE.indexOf(target) ? undefined : LINE[at + 1];
  if (next) return next;
  throw new UsageError(`An order that is ${status} cannot become ${target}.`);
}

/** Moves an order one step. The sandbox's workers move orders too; if they were faster, returns the order as it is. */
async function advance(
  client: Client,
  order: Order,
  to: OrderStatus,
  signal: AbortSignal,
): Promise<Order> {
  const { public_id, status } = order;
  try {
    let moved = await client.orders.advance({ public_id, to }, { signal });
    // A refund during a push completes once the registrar has stopped the push.
    while (moved.refund?.status === 'pending') {
      await sleep(PENDING_MS, undefined, { signal });
      moved = await client.orders.get({ public_id }, { signal });
    }
    return moved;
  } catch (error) {
    if (!(error instanceof ConflictError && error.reason === 'invalid_state')) throw error;
    const now = await client.orders.get({ public_id }, { signal });
    if (now.status === status) throw error;
    return now;
  }
}

async function recordOrder(client: Client, domain: string, signal: AbortSignal): Promise<Order> {
  const quote = await client.quotes.create({ domain }, { signal });
  return client.orders.create(
    {
      domain: quote.domain,
      quote_id: quote.quote_id,
      expected_price: quote.price_cents,
      currency: quote.currency,
      buyer: { email: 'buyer@example.com', name: 'A. Buyer', country: 'DE' },
    },
    { signal },
  );
}

/** Finds a sandbox domain; for MANUAL_REVIEW, one that begins with `hold-`. */
async function findDomain(client: Client, target: OrderStatus): Promise<string> {
  const held = target === 'MANUAL_REVIEW';
  for (const q of held ? ['hold'] : shuffled(WORDS)) {
    const { results } = await client.domains.search({ q });
    const found = results.filter(({ domain }) =>
      held ? domain.startsWith('hold-') : !RESERVED.test(domain),
    );
    const one = shuffled(found)[0];
    if (one) return one.domain;
  }
  throw new UsageError('The sandbox has no domain for that; name one with --domain.');
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((each) => ({ each, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ each }) => each);
}

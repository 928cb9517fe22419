import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Stripe } from 'stripe';
import { addMs, DAY } from '../../shared/platform/clock.ts';
import type { TestSettings } from './settings.ts';

/** Looks like a key; built from parts so that no scanner takes it for one. */
export const STRIPE_KEY = ['sk', 'test', 'standIn0123456789'].join('_');
/** The key of the same account for real money. */
export const STRIPE_LIVE_KEY = STRIPE_KEY.replace('test', 'live');
export const STRIPE_WEBHOOK_SECRET = ['whsec', 'standIn0123456789'].join('_');

export interface StandInSession {
  id: string;
  object: 'checkout.session';
  livemode: boolean;
  client_reference_id: string | null;
  metadata: Record<string, string>;
  amount_total: number;
  currency: string;
  status: 'open' | 'complete' | 'expired';
  payment_status: 'unpaid' | 'paid';
  url: string | null;
  expires_at: number;
  payment_intent: string | null;
  customer: string | null;
  /** Whether the paying card is stored. */
  keeps: boolean;
}

interface StandInIntent {
  id: string;
  object: 'payment_intent';
  status: string;
  amount: number;
  currency: string;
  livemode: boolean;
  metadata: Record<string, string>;
  last_payment_error: { code: string; decline_code?: string } | null;
  review: StandInReview | null;
  customer: string | null;
  payment_method: StandInCard | null;
  setup_future_usage: 'off_session' | null;
  /** Unix seconds. */
  created: number;
}

/** A card that can be charged for a customer. */
interface StandInCard {
  id: string;
  object: 'payment_method';
  type: 'card';
  customer: string | null;
  card: { brand: string; last4: string; exp_month: number; exp_year: number };
}

/** Radar's review of a payment. */
interface StandInReview {
  id: string;
  object: 'review';
  livemode: boolean;
  open: boolean;
  reason: string;
  closed_reason: string | null;
  payment_intent: string;
}

interface StandInRefund {
  id: string;
  object: 'refund';
  amount: number;
  payment_intent: string;
  status: 'succeeded' | 'pending' | 'failed';
  metadata: Record<string, string>;
}

interface StandInTransfer {
  id: string;
  object: 'transfer';
  amount: number;
  currency: string;
  destination: string;
  livemode: boolean;
  metadata: Record<string, string>;
  reversed: boolean;
  reversals: { data: { id: string }[] };
  transfer_group: string;
}

interface SeenRequest {
  method: string;
  path: string;
  idempotencyKey: string | undefined;
  fields: Record<string, string>;
}

/** A server on a free port that implements the part of Stripe's HTTP API that the adapter uses. */
export interface StripeStandIn {
  url: string;
  requests: SeenRequest[];
  sessions: Map<string, StandInSession>;
  /** All payment intents, with and without a page. */
  intents: Map<string, StandInIntent>;
  cards: Map<string, StandInCard>;
  /** The bank's response to charges of stored cards from now on; null accepts them. */
  decline: { code: string; decline_code?: string } | null;
  refunds: StandInRefund[];
  /** The intents with a disputed charge, which cannot be refunded. */
  disputed: Set<string>;
  transfers: StandInTransfer[];
  /** Connected accounts, and whether they can receive transfers. */
  accounts: Map<string, 'active' | 'inactive'>;
  /** The amount that can be transferred, in minor units. */
  balance: number;
  /** The status of refunds created from now on. */
  refundStatus: StandInRefund['status'];
  /** Whether it moves real money. */
  livemode: boolean;
  /** Faults for the next requests: a status, or `cut` for a connection that breaks after the work was done. */
  faults: (number | 'cut')[];
  /** Pays on the page as the buyer; `processing` is a pending bank debit. */
  pay(sessionId: string, how?: 'paid' | 'processing'): StandInSession;
  /** Ends a bank debit. */
  debit(sessionId: string, error: StandInIntent['last_payment_error']): StandInSession;
  expire(sessionId: string): StandInSession;
  /** Has Radar put a paid page under review, or ends the review with a reason. */
  review(sessionId: string, closedReason?: string): StandInReview;
  /** Returns the dispute of a paid page, as its events carry it. */
  dispute(
    sessionId: string,
    more?: object,
  ): { id: string; evidence_details: { /** Unix seconds. */ due_by: number } };
  /** Returns the charge of a paid page. */
  charge(sessionId: string, more?: object): object;
  /** Returns a signed notification, as Stripe would send it; `more` changes the event itself. */
  notification(
    type: string,
    object: object,
    at: Date,
    more?: object,
  ): { body: string; signature: string };
  /** Returns the signature of a body at a time. */
  sign(body: string, at: Date): string;
  stop(): Promise<void>;
}

type Answer = { status: number; body: object };

export async function startStripeStandIn(now: () => Date): Promise<StripeStandIn> {
  const answered = new Map<string, { fields: string; answer: Answer; at: Date }>();
  let counter = 0;
  const nextId = (prefix: string) => {
    counter += 1;
    return `${prefix}_test_${counter}`;
  };
  const session = (id: string) => {
    const found = standIn.sessions.get(id);
    if (!found) throw new Error(`no session ${id}`);
    return found;
  };

  const route = (method: string, path: string, fields: Record<string, string>): Answer => {
    const [, , collection = '', name = '', id = '', action = ''] = path.split('/');
    if (collection === 'checkout' && name === 'sessions') {
      if (method === 'POST' && id === '') return createSession(fields);
      const found = standIn.sessions.get(id);
      if (!found) return refusal(404, 'resource_missing', 'session');
      if (method === 'GET') return ok(expanded(found, fields['expand[0]']));
      if (action === 'expire') {
        if (found.status !== 'open') return refusal(400, 'invalid_state', 'session');
        return ok(standIn.expire(id));
      }
    }
    if (collection === 'payment_intents' && name === '') {
      return method === 'POST' ? createIntent(fields) : listIntents(fields);
    }
    if (collection === 'payment_intents' && method === 'GET') {
      const intent = standIn.intents.get(name);
      return intent ? ok(intent) : refusal(404, 'resource_missing', 'intent');
    }
    if (collection === 'payment_methods' && id === 'detach') {
      const card = standIn.cards.get(name);
      if (!card?.customer) return refusal(400, 'invalid_state', 'payment_method');
      return ok(Object.assign(card, { customer: null }));
    }
    if (collection === 'refunds' && method === 'GET') {
      const data = standIn.refunds.filter(
        (refund) => refund.payment_intent === fields.payment_intent,
      );
      return ok({ object: 'list', data: data.toReversed(), has_more: false, url: '/v1/refunds' });
    }
    if (collection === 'refunds' && method === 'POST') return createRefund(fields);
    if (collection === 'transfers' && method === 'GET') {
      const data = standIn.transfers.filter(
        (transfer) => transfer.transfer_group === fields.transfer_group,
      );
      return ok({ object: 'list', data, has_more: false, url: '/v1/transfers' });
    }
    if (collection === 'transfers' && method === 'POST') return createTransfer(fields);
    if (collection === 'accounts' && method === 'GET') {
      const transfers = standIn.accounts.get(name);
      if (!transfers) return refusal(404, 'resource_missing', 'account');
      return ok({ id: name, object: 'account', capabilities: { transfers } });
    }
    return refusal(404, 'resource_missing', path);
  };

  const createSession = (fields: Record<string, string>): Answer => {
    const inSeconds = Number(fields.expires_at) - now().getTime() / 1_000;
    if (inSeconds < 30 * 60 || inSeconds > 24 * 3_600) {
      return refusal(400, 'parameter_invalid', 'expires_at');
    }
    const amount = Number(fields['line_items[0][price_data][unit_amount]']);
    if (!Number.isInteger(amount) || amount > 99_999_999) {
      return refusal(400, 'amount_too_large', 'line_items[0][price_data][unit_amount]');
    }
    if (fields.mode !== 'payment' || !fields.success_url || !fields.cancel_url) {
      return refusal(400, 'parameter_missing', 'success_url');
    }
    const { customer, customer_creation: creation, customer_email: email } = fields;
    const keeps = fields['payment_intent_data[setup_future_usage]'] === 'off_session';
    if (customer && (email || creation)) return refusal(400, 'parameters_exclusive', 'customer');
    if (keeps && fields['allowed_payment_method_types[0]'] !== 'card') {
      return refusal(400, 'parameter_invalid', 'allowed_payment_method_types');
    }
    const id = nextId('cs');
    const created: StandInSession = {
      id,
      object: 'checkout.session',
      livemode: standIn.livemode,
      client_reference_id: fields.client_reference_id ?? null,
      metadata: metadataOf(fields),
      amount_total: amount,
      currency: fields['line_items[0][price_data][currency]'] ?? '',
      status: 'open',
      payment_status: 'unpaid',
      url: `https://checkout.stripe.example/c/pay/${id}`,
      expires_at: Number(fields.expires_at),
      payment_intent: null,
      customer: customer ?? null,
      keeps,
    };
    standIn.sessions.set(id, created);
    return ok(created);
  };

  const newIntent = (
    intent: Pick<StandInIntent, 'status' | 'amount' | 'currency' | 'metadata'> &
      Partial<StandInIntent>,
  ): StandInIntent => {
    const created: StandInIntent = {
      id: nextId('pi'),
      object: 'payment_intent',
      livemode: standIn.livemode,
      last_payment_error: null,
      review: null,
      customer: null,
      payment_method: null,
      setup_future_usage: null,
      created: Math.floor(now().getTime() / 1_000),
      ...intent,
    };
    standIn.intents.set(created.id, created);
    return created;
  };

  const createIntent = (fields: Record<string, string>): Answer => {
    // Stripe's API of 2026-09-30 and later refuses this field.
    if ('payment_method_types[0]' in fields) {
      return refusal(400, 'payment_method_types_no_longer_supported', 'payment_method_types');
    }
    const { customer = '', payment_method = '', confirm, off_session } = fields;
    const card = standIn.cards.get(payment_method);
    if (!card || card.customer !== customer) {
      return refusal(400, 'resource_missing', 'payment_method');
    }
    if (confirm !== 'true' || off_session !== 'true') {
      return refusal(400, 'parameter_missing', 'off_session');
    }
    const { decline } = standIn;
    const intent = newIntent({
      status: decline ? 'requires_payment_method' : 'succeeded',
      amount: Number(fields.amount),
      currency: fields.currency ?? '',
      metadata: metadataOf(fields),
      customer,
      payment_method: card,
      last_payment_error: decline,
    });
    if (!decline) return ok(intent);
    const error = { type: 'card_error', ...decline, payment_intent: intent };
    return { status: 402, body: { error: { ...error, message: 'Your card was declined.' } } };
  };

  const listIntents = (fields: Record<string, string>): Answer => {
    const since = Number(fields['created[gte]'] ?? 0);
    const data = [...standIn.intents.values()].filter(
      ({ customer, created }) => customer === fields.customer && created >= since,
    );
    const url = '/v1/payment_intents';
    return ok({ object: 'list', data: data.toReversed(), has_more: false, url });
  };

  const createRefund = (fields: Record<string, string>): Answer => {
    const intent = fields.payment_intent ?? '';
    const paid = standIn.intents.get(intent);
    if (!paid) return refusal(404, 'resource_missing', 'payment_intent');
    const before = standIn.refunds.filter(
      (refund) => refund.payment_intent === intent && refund.status !== 'failed',
    );
    const left = paid.amount - before.reduce((sum, refund) => sum + refund.amount, 0);
    const amount = Number(fields.amount ?? left);
    if (standIn.disputed.has(intent)) return refusal(400, 'charge_disputed', 'charge');
    if (left === 0) return refusal(400, 'charge_already_refunded', 'charge');
    if (amount > left) return refusal(400, 'amount_too_large', 'amount');
    const refund: StandInRefund = {
      id: nextId('re'),
      object: 'refund',
      amount,
      payment_intent: intent,
      status: standIn.refundStatus,
      metadata: metadataOf(fields),
    };
    standIn.refunds.push(refund);
    return ok(refund);
  };

  const createTransfer = (fields: Record<string, string>): Answer => {
    const amount = Number(fields.amount);
    const destination = fields.destination ?? '';
    if (standIn.accounts.get(destination) !== 'active') {
      return refusal(400, 'account_invalid', 'destination');
    }
    if (amount > standIn.balance) return refusal(400, 'balance_insufficient', 'amount');
    standIn.balance -= amount;
    const transfer: StandInTransfer = {
      id: nextId('tr'),
      object: 'transfer',
      amount,
      currency: fields.currency ?? '',
      destination,
      livemode: standIn.livemode,
      metadata: metadataOf(fields),
      reversed: false,
      reversals: { data: [] },
      transfer_group: fields.transfer_group ?? '',
    };
    standIn.transfers.push(transfer);
    return ok(transfer);
  };

  const expanded = (found: StandInSession, field: string | undefined): object =>
    field === 'payment_intent.review' && found.payment_intent !== null
      ? { ...found, payment_intent: standIn.intents.get(found.payment_intent) }
      : found;

  /**
   * Does the work once per key and day, as Stripe does: repeats the response, and refuses other requests with the key.
   */
  const once = (
    key: string | undefined,
    fields: Record<string, string>,
    work: () => Answer,
  ): Answer => {
    if (key === undefined) return work();
    const text = JSON.stringify(fields);
    const last = answered.get(key);
    const known = last && now() < addMs(last.at, DAY) ? last : undefined;
    if (known && known.fields !== text) {
      return { status: 400, body: { error: { type: 'idempotency_error', message: 'other' } } };
    }
    const answer = known?.answer ?? work();
    answered.set(key, { fields: text, answer, at: known?.at ?? now() });
    return structuredClone(answer);
  };

  const handle = async (req: IncomingMessage, res: ServerResponse) => {
    const url = new URL(req.url ?? '/', 'http://stand-in');
    const text = await bodyOf(req);
    const fields = Object.fromEntries(
      req.method === 'GET' ? url.searchParams : new URLSearchParams(text),
    );
    const header = req.headers['idempotency-key'];
    const idempotencyKey = typeof header === 'string' ? header : undefined;
    const method = req.method ?? '';
    standIn.requests.push({ method, path: url.pathname, idempotencyKey, fields });
    const key = req.headers.authorization?.replace(/^Bearer /, '');
    if (key !== STRIPE_KEY && key !== STRIPE_LIVE_KEY) {
      send(res, refusal(401, 'api_key_invalid', 'authorization'));
      return;
    }
    const fault = standIn.faults.shift();
    if (typeof fault === 'number') {
      send(res, { status: fault, body: { error: { type: 'api_error', message: 'away' } } });
      return;
    }
    const answer = once(idempotencyKey, fields, () => route(method, url.pathname, fields));
    if (fault === 'cut') req.socket.destroy();
    else send(res, answer);
  };

  const server = createServer((req, res) => void handle(req, res));
  const signer = new Stripe(STRIPE_KEY);
  const standIn: StripeStandIn = {
    url: '',
    requests: [],
    sessions: new Map(),
    intents: new Map(),
    cards: new Map(),
    decline: null,
    refunds: [],
    disputed: new Set(),
    transfers: [],
    accounts: new Map(),
    balance: 0,
    refundStatus: 'succeeded',
    livemode: false,
    faults: [],
    pay(sessionId, how = 'paid') {
      const { amount_total: amount, currency, metadata, keeps } = session(sessionId);
      const customer = session(sessionId).customer ?? (keeps ? nextId('cus') : null);
      const card: StandInCard = {
        id: nextId('pm'),
        object: 'payment_method',
        type: 'card',
        customer: keeps ? customer : null,
        card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2_040 },
      };
      standIn.cards.set(card.id, card);
      const { id: intent } = newIntent({
        status: how === 'paid' ? 'succeeded' : 'processing',
        amount,
        currency,
        metadata,
        customer,
        payment_method: card,
        setup_future_usage: keeps ? 'off_session' : null,
      });
      return Object.assign(session(sessionId), {
        customer,
        status: 'complete',
        payment_status: how === 'paid' ? 'paid' : 'unpaid',
        url: null,
        payment_intent: intent,
      });
    },
    debit(sessionId, error) {
      const found = session(sessionId);
      const intent = standIn.intents.get(found.payment_intent ?? '');
      if (!intent) throw new Error('there is no debit');
      intent.status = error ? 'requires_payment_method' : 'succeeded';
      intent.last_payment_error = error;
      if (!error) found.payment_status = 'paid';
      return found;
    },
    expire(sessionId) {
      return Object.assign(session(sessionId), { status: 'expired', url: null });
    },
    review(sessionId, closedReason) {
      const intent = standIn.intents.get(session(sessionId).payment_intent ?? '');
      if (!intent) throw new Error('there is nothing to review');
      intent.review = {
        id: intent.review?.id ?? nextId('prv'),
        object: 'review',
        livemode: standIn.livemode,
        open: closedReason === undefined,
        reason: closedReason ?? 'rule',
        closed_reason: closedReason ?? null,
        payment_intent: intent.id,
      };
      return intent.review;
    },
    charge(sessionId, more = {}) {
      const { amount_total: amount, currency, payment_intent, metadata } = session(sessionId);
      return {
        id: nextId('ch'),
        object: 'charge',
        amount,
        amount_captured: amount,
        amount_refunded: amount,
        captured: true,
        currency,
        disputed: false,
        livemode: standIn.livemode,
        metadata,
        paid: true,
        payment_intent,
        refunded: true,
        status: 'succeeded',
        ...more,
      };
    },
    dispute(sessionId, more = {}) {
      const { amount_total: amount, currency, payment_intent } = session(sessionId);
      return {
        id: nextId('du'),
        object: 'dispute',
        amount,
        balance_transactions: [],
        charge: 'ch_test_0',
        created: Math.floor(now().getTime() / 1_000),
        currency,
        enhanced_eligibility_types: [],
        evidence: {},
        evidence_details: {
          due_by: Math.floor(now().getTime() / 1_000) + 7 * 86_400,
          enhanced_eligibility: {},
          has_evidence: false,
          past_due: false,
          submission_count: 0,
        },
        is_charge_refundable: false,
        livemode: standIn.livemode,
        metadata: {},
        payment_intent,
        payment_method_details: { type: 'card', card: { brand: 'visa', case_type: 'chargeback' } },
        reason: 'fraudulent',
        status: 'needs_response',
        ...more,
      };
    },
    notification(type, object, at, more = {}) {
      const created = Math.floor(at.getTime() / 1_000);
      const event = {
        id: nextId('evt'),
        object: 'event',
        livemode: standIn.livemode,
        type,
        created,
        data: { object },
        ...more,
      };
      const body = JSON.stringify(event);
      return { body, signature: standIn.sign(body, at) };
    },
    sign(body, at) {
      return signer.webhooks.generateTestHeaderString({
        payload: body,
        secret: STRIPE_WEBHOOK_SECRET,
        timestamp: Math.floor(at.getTime() / 1_000),
      });
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  standIn.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return standIn;
}

/** Returns the environment of a service that takes LIVE payments through the stand-in. */
export function stripeEnv(standIn: StripeStandIn): TestSettings {
  return {
    PAYMENTS_LIVE: 'stripe',
    STRIPE_SECRET_KEY: STRIPE_KEY,
    STRIPE_WEBHOOK_SECRET,
    stripeApiUrl: standIn.url,
  };
}

function ok(body: object): Answer {
  return { status: 200, body };
}

function refusal(status: number, code: string, param: string): Answer {
  const type = 'invalid_request_error';
  return { status, body: { error: { type, code, param, message: `Refused: ${param}` } } };
}

function metadataOf(fields: Record<string, string>): Record<string, string> {
  const entries = Object.entries(fields).flatMap(([name, value]) => {
    const key = /^metadata\[(\w+)\]$/.exec(name)?.[1];
    return key === undefined ? [] : [[key, value]];
  });
  return Object.fromEntries(entries);
}

function send(res: ServerResponse, { status, body }: Answer): void {
  res.writeHead(status, { 'Content-Type': 'application/json', 'Request-Id': 'req_standin' });
  res.end(JSON.stringify(body));
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

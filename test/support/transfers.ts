import type {
  PushRequest,
  PushState,
  Registrar,
} from '../../shared/domains/registrar/registrar.ts';
import { listEvents } from '../../shared/messaging/events/read-events.ts';
import type { Caller } from '../../shared/people/partners/credential.ts';
import type { Environment } from '../../shared/platform/config/config.ts';
import type { DeliveryWish, Order } from '../../shared/sales/orders/order.ts';
import { getOrderDetail } from '../../shared/sales/orders/read-orders.ts';
import { recordOrder } from '../../shared/sales/orders/record-order.ts';
import { beginPush, recordPushState } from '../../shared/sales/transfers/registrar-push.ts';
import { startTransfer } from '../../shared/sales/transfers/start-transfer.ts';
import { givenListing, givenPartner } from './factories.ts';
import { KEPT_REGISTRANT } from './registrants.ts';
import type { Runtime } from './runtime.ts';

export interface Sale {
  caller: Caller;
  order: Order;
}

/** Records an order as the API does, with a new partner and a new listing. */
export async function givenSale(
  runtime: Runtime,
  options: {
    domain?: string;
    environment?: Environment;
    caller?: Caller;
    delivery?: DeliveryWish;
  } = {},
): Promise<Sale> {
  const { environment = 'SANDBOX' } = options;
  const caller = options.caller ?? {
    ...(await givenPartner(runtime, { environment })),
    commissionBps: 1_500,
  };
  const listing = await givenListing(runtime, { ...options, environment });
  const order = await runtime.db.transact((uow) =>
    recordOrder(uow, runtime, caller, {
      domain: listing.domain,
      expectedPriceCents: listing.priceCents,
      currency: 'USD',
      buyer: { email: 'buyer@example.com', name: null, country: null },
      quote: null,
      externalPaymentRef: null,
      returnUrl: null,
      cancelUrl: null,
      registrant: KEPT_REGISTRANT,
      delivery: options.delivery ?? null,
    }),
  );
  return { caller, order };
}

/** Has the registrar transfer in the domain of an order, so that it can be transferred out. */
export async function releaseDomain(runtime: Runtime, orderId: string): Promise<void> {
  await runtime.db.transact((uow) => startTransfer(uow, orderId));
  const push = { orderId, attempt: 1 };
  await beginPush(runtime, push);
  await runtime.db.transact((uow) => recordPushState(uow, runtime, push, { status: 'completed' }));
}

export interface Story {
  status: string;
  transfer: { status: string; attempts: number; reason: string | null } | null;
  /** The order's timeline, oldest first. */
  timeline: string[];
  /** The events about the order in the partner's history. */
  history: string[];
}

/** Returns how an order reached its state, as its partner sees it. */
export async function storyOf(runtime: Runtime, { caller, order }: Sale): Promise<Story> {
  const detail = await getOrderDetail(runtime, caller, order.id);
  const { rows: events } = await listEvents(runtime, caller, { afterId: null, limit: 100 });
  const mine = events.filter(
    (event) => (event.data.order as { public_id: string } | undefined)?.public_id === order.id,
  );
  return {
    status: detail.order.status,
    transfer: detail.transfer,
    timeline: detail.timeline.map((entry) => entry.event),
    history: mine.map((event) => event.type),
  };
}

/** Returns the status of a listing: whether the domain is on the market. */
export async function marketStatusOf(runtime: Runtime, { order }: Sale): Promise<string> {
  const [status] = await runtime.db.knex('listings').where({ id: order.listingId }).pluck('status');
  return status;
}

/** Returns the pushes that the sandbox registrar has seen, oldest first. */
export function sandboxPushes(
  runtime: Runtime,
): Promise<{ client_reference: string; status: string }[]> {
  return runtime.db
    .knex('sandbox_registrar_pushes')
    .orderBy('accepted_at')
    .select('client_reference', 'status');
}

/** A registrar that answers as the test says and records its requests. */
export interface RegistrarStandIn extends Registrar {
  pushes: PushRequest[];
  polls: string[];
  cancels: string[];
  /** The answer of `push` and `proceed` from now on, or what they do. */
  answer: PushState | (() => Promise<PushState>);
  cancelAnswer: 'cancelled' | 'too_late';
}

const ONLY_PUSHES = { status: 'refused', reason: 'It only pushes.' } as const;

export function registrarStandIn(answer: RegistrarStandIn['answer']): RegistrarStandIn {
  const say = async (): Promise<PushState> =>
    typeof standIn.answer === 'function' ? standIn.answer() : standIn.answer;
  const standIn: RegistrarStandIn = {
    name: 'stand-in',
    pushes: [],
    polls: [],
    cancels: [],
    answer,
    cancelAnswer: 'cancelled',
    async push(request) {
      standIn.pushes.push(request);
      return say();
    },
    async proceed(reference) {
      standIn.polls.push(reference);
      return say();
    },
    async cancel(reference) {
      standIn.cancels.push(reference);
      return standIn.cancelAnswer;
    },
    describe: async () => ({ registrations: [], unreadable: [] }),
    readMessages: async () => 0,
    prices: async () => [],
    async inspect() {
      return [];
    },
    async change() {
      return ONLY_PUSHES;
    },
    issueAuthCode: async () => ONLY_PUSHES,
    clearAuthCode: async () => ONLY_PUSHES,
    findTransfer: async () => undefined,
    answerTransfer: async () => undefined,
  };
  return standIn;
}

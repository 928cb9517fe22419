import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { liftLegalHold, placeLegalHold } from '../../../shared/domains/legal-holds/legal-holds.ts';
import { setAuthCode } from '../../../shared/domains/registrar/auth-codes.ts';
import type { Registrar } from '../../../shared/domains/registrar/registrar.ts';
import type { LegalHold } from '../../../shared/market/legal-holds/legal-hold.ts';
import { createSharedAbort } from '../../../shared/platform/concurrency/deadline.ts';
import type { Environment } from '../../../shared/platform/config/config.ts';
import { ServiceError } from '../../../shared/platform/errors.ts';
import { confirmDelivery } from '../../../shared/sales/transfers/deliver-domain.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { takeDomain } from '../../support/claims.ts';
import { type DemoRegistry, startDemoRegistry } from '../../support/demo-registry.ts';
import { eventually } from '../../support/eventually.ts';
import { givenListing } from '../../support/factories.ts';
import { gate } from '../../support/gate.ts';
import { AUTH_CODE, registered, registrySettings } from '../../support/live-registry.ts';
import { PROMPT } from '../../support/quick-fleet.ts';
import { REGISTRANT } from '../../support/registrants.ts';
import type { ClientAnswer, SignedClient } from '../../support/signed-client.ts';

const ENVIRONMENT = 'LIVE' as const;
const PRICE = 485_000;
const QUEUES = ['transfers', 'transfer-polls'] as const;

let registry: DemoRegistry;
let app: TestApp;
let client: SignedClient;
let fleet: WorkerProcess;

beforeAll(async () => {
  registry = await startDemoRegistry();
  app = await startTestApp({
    ...PROMPT,
    ...registrySettings(registry),
    TRANSFER_POLICY_LIVE: 'automatic',
    transferPollMaxMs: 100,
  });
  ({ client } = await app.partner({ environment: ENVIRONMENT }));
  fleet = startWorkers(app.runtime, { queues: QUEUES });
});
afterAll(async () => {
  await fleet?.stop();
  await app?.stop();
  await registry?.close();
});

const place = (domain: string) =>
  placeLegalHold(app.runtime, 'cli:first', { domain, kind: 'udrp', caseReference: 'D2026-0001' });
const lift = ({ id }: LegalHold) => liftLegalHold(app.runtime, 'cli:second', id);
const statusesOf = (domain: string) => [...(registry.state.domains[domain]?.statuses ?? [])].sort();
const PROHIBITED = ['clientDeleteProhibited', 'clientTransferProhibited', 'clientUpdateProhibited'];

let keys = 0;
const order = (domain: string, more: object = {}) => {
  keys += 1;
  const body = {
    domain,
    expected_price: PRICE,
    buyer: { email: 'buyer@example.com', name: 'Example Buyer', country: 'DE' },
    registrant: REGISTRANT,
    ...more,
  };
  return client.post('/v1/orders', { body, idempotencyKey: `order-${keys}` });
};
const orderNow = async (id: string) => (await client.get(`/v1/orders/${id}`)).body;
const untilTransferIs = (id: string, status: string) =>
  eventually(
    () => orderNow(id),
    ({ transfer }: ClientAnswer['body']) => transfer?.status === status,
    { everyMs: 20 },
  );
const reasonOf = async (asked: Promise<unknown>): Promise<string> => {
  try {
    await asked;
    return 'no refusal';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return (error.details as { reason: string }).reason;
  }
};

describe('transferring a domain on legal hold', () => {
  it('pauses before the next registry command and resumes when the hold is lifted', async () => {
    const domain = registered(registry, 'losing');
    await givenListing(app.runtime, { domain, environment: ENVIRONMENT });
    await app.runtime.db.transact((uow) =>
      setAuthCode(uow, app.runtime.secrets, { domain, authInfo: AUTH_CODE }),
    );
    const { body } = await order(domain).expect(201);
    const id = body.public_id as string;
    await untilTransferIs(id, 'pending_registry');
    const hold = await place(domain);
    const stopped = await untilTransferIs(id, 'action_required');
    expect(stopped.transfer.reason).toBe('legal_hold');
    expect(await reasonOf(app.runtime.db.transact((uow) => confirmDelivery(uow, id)))).toBe(
      'legal_hold',
    );

    const settled = registry.heard.length;
    await registry.client('losing').endTransfer('approve', domain, {
      clTRID: 'losing-approves',
      since: registry.clock.now(),
      resumed: false,
      signal: createSharedAbort().signal,
    });
    await eventually(
      async () => statusesOf(domain),
      () => registry.state.domains[domain]?.clID === 'gaining',
    );
    expect((await orderNow(id)).transfer.status).toBe('action_required');
    const sent = registry.heard.slice(settled).filter((frame) => frame.includes('<update>'));
    expect(sent.filter((frame) => frame.includes(domain) && frame.includes('registrant'))).toEqual(
      [],
    );
    await lift(hold);
    await untilTransferIs(id, 'awaiting_confirmation');
    const later = await place(domain);
    expect(await reasonOf(takeDomain(app.runtime, id))).toBe('legal_hold');
    await lift(later);
    await takeDomain(app.runtime, id);
    await untilTransferIs(id, 'completed');
  });

  it('waits until the registry has released the domain, then resumes by itself', async () => {
    const domain = registered(registry, 'gaining');
    await givenListing(app.runtime, { domain, environment: ENVIRONMENT });
    const hold = await place(domain);
    await eventually(
      async () => statusesOf(domain),
      (statuses) => statuses.join() === PROHIBITED.join(),
    );
    await fleet.stop();
    await lift(hold);
    const { body } = await order(domain).expect(201);
    const id = body.public_id as string;
    const release = gate();
    const registrars = (environment: Environment): Registrar => {
      const registrar = app.runtime.registrars(environment);
      return {
        ...registrar,
        async change(request) {
          if (request.change.kind === 'legal_hold') await release.opened;
          return registrar.change(request);
        },
      };
    };
    fleet = startWorkers({ ...app.runtime, registrars }, { queues: QUEUES });
    try {
      const waiting = await untilTransferIs(id, 'action_required');
      expect(waiting.transfer.reason).toBe('clientUpdateProhibited');
      expect(statusesOf(domain)).toEqual(PROHIBITED);
    } finally {
      release.open();
    }
    await untilTransferIs(id, 'awaiting_confirmation');
    expect(statusesOf(domain)).toEqual([]);
    await takeDomain(app.runtime, id);
    await untilTransferIs(id, 'completed');
  });

  it('issues no authorization code until the hold is lifted', async () => {
    const domain = registered(registry, 'gaining');
    await givenListing(app.runtime, { domain, environment: ENVIRONMENT });
    const delivery = { method: 'partner_registrar' };
    const { body } = await order(domain, { delivery }).expect(201);
    const id = body.public_id as string;
    await untilTransferIs(id, 'awaiting_confirmation');
    const hold = await place(domain);
    const ask = () => client.post(`/v1/orders/${id}/auth-code`, { body: {} });
    expect((await ask()).status).toBe(409);
    await lift(hold);
    // The registry is told of its end by a job.
    await eventually(ask, ({ status }) => status === 200);
  });

  it('does not relist a refunded domain while the hold is in place', async () => {
    const domain = registered(registry, 'losing');
    await givenListing(app.runtime, { domain, environment: ENVIRONMENT });
    const { body } = await order(domain).expect(201);
    const id = body.public_id as string;
    await untilTransferIs(id, 'action_required');
    const hold = await place(domain);
    const refund = { order_id: id, reason: 'requested_by_customer' };
    expect((await client.post('/v1/refunds', { body: refund })).status).toBe(201);
    await eventually(
      () => orderNow(id),
      ({ status }: ClientAnswer['body']) => status === 'REFUNDED',
    );
    expect((await client.get(`/v1/domains/${domain}`)).body.status).toBe('delisted');
    await lift(hold);
    expect((await client.get(`/v1/domains/${domain}`)).body).toMatchObject({ status: 'listed' });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { attemptRequest } from '../../../shared/messaging/webhooks/attempt.ts';
import {
  createEndpoint,
  removeEndpoint,
} from '../../../shared/messaging/webhooks/manage-endpoint.ts';
import { browserSessionRecords } from '../../../shared/people/oauth/oauth-records.ts';
import type { ProvenSession } from '../../../shared/people/users/factor-change.ts';
import {
  beginAuthenticator,
  readPendingAuthenticator,
} from '../../../shared/people/users/own-authenticator.ts';
import type { User } from '../../../shared/people/users/user.ts';
import { createOpener } from '../../../shared/platform/crypto/secrets.ts';
import { registrantOfOrder } from '../../../shared/sales/orders/order-registrant.ts';
import { givenListing } from '../../support/factories.ts';
import { givenOwner } from '../../support/oauth.ts';
import { runOps } from '../../support/ops-command.ts';
import { KEPT_REGISTRANT } from '../../support/registrants.ts';
import type { Runtime } from '../../support/runtime.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../../support/runtime.ts';
import { recordSale } from '../../support/sales.ts';
import { givenProvenSession } from '../../support/second-factors.ts';
import { secretsKey } from '../../support/secrets-key.ts';
import type { TestSettings } from '../../support/settings.ts';
import { dueTo, givenEndpoint, givenEvents } from '../../support/webhooks.ts';

const key = (number: number) => secretsKey(number).toString('base64');
/** The key of every test runtime. */
const OLD = key(1);
const NEW = key(2);
/** The settings after the keys are swapped, and after the old key is removed. */
const SWAPPED = { SECRETS_KEY: NEW, SECRETS_KEY_PREVIOUS: OLD };
const ENDED = { SECRETS_KEY: NEW };

describe('rotating SECRETS_KEY', () => {
  let runtime: TestRuntime;
  let owner: User;
  let session: ProvenSession;
  let authenticator: string;
  let orderId: string;
  let partner: Awaited<ReturnType<typeof givenEndpoint>>;
  beforeAll(async () => {
    runtime = await createTestRuntime();
    partner = await givenEndpoint(runtime, 'http://127.0.0.1:8080/hook');
    await createEndpoint(runtime, partner, { name: 'gone', url: 'http://127.0.0.1:8080/gone' });
    await removeEndpoint(runtime, partner, 'gone');
    owner = await givenOwner(runtime);
    session = await givenProvenSession(runtime, owner);
    authenticator = (await beginAuthenticator(runtime, session)).secret;
    const { domain } = await givenListing(runtime);
    orderId = (await recordSale(runtime, partner, { domain })).id;
    const signedIn = { accountId: owner.id, acr: session.user.sessionId };
    await browserSessionRecords(runtime, 'Session').save('browser', signedIn, 3_600);
  });
  afterAll(() => runtime.stop());

  /** Runs work in a process with these keys. */
  const asProcessWith = async <T>(
    env: TestSettings,
    work: (other: Runtime) => Promise<T>,
  ): Promise<T> => {
    const other = await joinRuntime(runtime, env);
    try {
      return await work(other);
    } finally {
      await other.stop();
    }
  };
  const readAll = async (other: Runtime) => {
    await givenEvents(other, partner, 1);
    const { endpoint, take } = await dueTo(other, partner.endpointId);
    const [delivery] = await take(1);
    if (!delivery) throw new Error('nothing was due');
    const opener = createOpener(other.secrets);
    const request = attemptRequest(endpoint, delivery, opener, other.clock.now());
    const [credential, browser] = await Promise.all([
      other.credentials.find(partner.keyId),
      browserSessionRecords(other, 'Session').find('browser'),
    ]);
    return {
      secret: credential?.secret,
      signs: request.headers['x-service-signature']?.length,
      account: browser?.accountId,
      authenticator: (await readPendingAuthenticator(other, session)).secret,
      registrant: await registrantOfOrder(other, orderId),
    };
  };
  const whole = () => ({
    secret: partner.keySecret,
    signs: 64,
    account: owner.id,
    authenticator,
    registrant: KEPT_REGISTRANT,
  });

  it('opens everything with both keys, in either order, during the rollout', async () => {
    const announced = { SECRETS_KEY: OLD, SECRETS_KEY_PREVIOUS: NEW };
    expect(await asProcessWith(announced, readAll)).toEqual(whole());
    expect(await asProcessWith(SWAPPED, readAll)).toEqual(whole());
  });

  it('keeps tokens signed with the previous key valid, and signs new ones with the new key', async () => {
    const old = await runtime.tokens.sign('quote', { jti: 'qte_1' });
    const fresh = await asProcessWith(SWAPPED, async ({ tokens }) => {
      expect(await tokens.verify('quote', old)).toMatchObject({ jti: 'qte_1' });
      expect(await tokens.verify('quote', `${old}x`)).toBe('invalid');
      return tokens.sign('quote', { jti: 'qte_2' });
    });
    expect(await runtime.tokens.verify('quote', fresh)).toBe('invalid');
    await asProcessWith(ENDED, async ({ tokens }) => {
      expect(await tokens.verify('quote', old)).toBe('invalid');
      expect(await tokens.verify('quote', fresh)).toMatchObject({ jti: 'qte_2' });
    });
  });

  it('reports how many secrets no key opens, and fails', async () => {
    const answer = await runOps(runtime, ['secrets:reencrypt', '--json'], ENDED);
    expect(answer).toMatchObject({
      code: 1,
      json: { credentials: 0, webhooks: 0, browsers: 0, authenticators: 0, unreadable: 5 },
    });
  });

  it('re-encrypts everything so that the old key can be removed', async () => {
    const answer = await runOps(runtime, ['secrets:reencrypt', '--json'], SWAPPED);
    expect(answer).toMatchObject({
      code: 0,
      json: {
        credentials: 1,
        webhooks: 1,
        browsers: 1,
        authenticators: 1,
        registrants: 1,
        unreadable: 0,
      },
    });
    expect(await asProcessWith(ENDED, readAll)).toEqual(whole());
    await expect(asProcessWith({}, readAll)).rejects.toThrow('another key');
  });

  it('finds nothing left to do the second time', async () => {
    const answer = await runOps(runtime, ['secrets:reencrypt', '--json'], SWAPPED);
    expect(answer).toMatchObject({
      code: 0,
      json: { credentials: 0, webhooks: 0, browsers: 0, unreadable: 0 },
    });
    const entries = await runtime.db.knex('audit_log').where({ action: 'secrets:reencrypt' });
    expect(entries).toHaveLength(3);
  });
});

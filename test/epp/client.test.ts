import { connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DEMO_TLS } from '../../epp-demo/demo-tls.ts';
import type { RegistryFault } from '../../epp-demo/registry-faults.ts';
import { EppClient } from '../../shared/domains/epp/epp-client.ts';
import { openEppConnection } from '../../shared/domains/epp/epp-connection.ts';
import { EppRefused, EppUnreachable } from '../../shared/domains/epp/epp-errors.ts';
import type { NewContact, PollMessage } from '../../shared/domains/epp/epp-objects.ts';
import { drainPollQueue } from '../../shared/domains/epp/epp-poll.ts';
import type { CommandName } from '../../shared/domains/epp/epp-send.ts';
import { DAY } from '../../shared/platform/clock.ts';
import { createSharedAbort } from '../../shared/platform/concurrency/deadline.ts';
import { type DemoRegistry, endpointOf, startDemoRegistry } from '../support/demo-registry.ts';
import { eventually } from '../support/eventually.ts';

let registry: DemoRegistry;
let losing: EppClient;
let gaining: EppClient;

beforeEach(async () => {
  registry = await startDemoRegistry();
  losing = registry.client('losing');
  gaining = registry.client('gaining');
});
afterEach(() => registry.close());

const { signal } = createSharedAbort();
const QUESTION = { clTRID: 'question-1', signal };
const named = (clTRID: string, resumed = false): CommandName => ({
  clTRID,
  since: registry.clock.now(),
  resumed,
  signal,
});
/** The changes that the registry made, without those of `register`. */
const changes = () =>
  registry.changes.filter(({ clTRID }) => clTRID !== 'register').map(({ command }) => command);
const sentOf = (text: string) => registry.heard.filter((each) => each.includes(text));

async function register(name = 'oakdeck.example') {
  const domain = { name, years: 1, authInfo: 'right-code' };
  const created = await losing.createDomain(domain, named('register'));
  registry.clock.advance(61 * DAY);
  return created;
}
async function refusalOf(work: Promise<unknown>): Promise<EppRefused> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof EppRefused) return error;
  throw new Error(`not refused: ${error}`);
}
const requested = (clTRID = 'trf-1', resumed = false) =>
  gaining.requestTransfer(
    { domain: 'oakdeck.example', authInfo: 'right-code' },
    named(clTRID, resumed),
  );

describe('an EPP connection', () => {
  it('requires our client certificate', async () => {
    const socket = connect({ host: '127.0.0.1', port: registry.server.port, ca: DEMO_TLS.ca });
    const ended = await new Promise((resolve) => {
      socket.on('error', resolve);
      socket.on('data', () => resolve('greeted'));
    });
    expect(String(ended)).toMatch(/certificate required|ECONNRESET/);
  });

  it('is rejected when the registry’s certificate is not trusted', async () => {
    const { ca: _, ...endpoint } = endpointOf(registry.server);
    const timeouts = { connectMs: 20_000, answerMs: 20_000 };
    await expect(openEppConnection(endpoint, timeouts, signal)).rejects.toThrow(EppUnreachable);
  });
});

describe('EPP sessions', () => {
  it('log in with a password of more than 16 characters and change it to another', async () => {
    const [before, after] = ['a-long-password-before', 'a-long-password-after'];
    Object.assign(registry.state.accounts.gaining ?? {}, { password: before });
    const client = registry.client('gaining', { password: before, newPassword: after });
    await client.checkDomains(['a.example'], QUESTION);
    expect(registry.state.accounts.gaining?.password).toBe(after);
    expect(sentOf('<loginSec:newPW>')[0]).toContain('<pw>[LOGIN-SECURITY]</pw>');
  });

  it('are reused for the next command', async () => {
    await gaining.checkDomains(['a.example'], QUESTION);
    await gaining.checkDomains(['b.example'], QUESTION);
    expect(sentOf('<login>')).toHaveLength(1);
  });

  it('never exceed the limit, however many commands there are', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) => gaining.checkDomains([`a${at}.example`], QUESTION)),
    );
    expect(answers.map(([first]) => first?.name)).toEqual(
      Array.from({ length: 30 }, (_, at) => `a${at}.example`),
    );
    expect(registry.server.sessions()).toBeLessThanOrEqual(2);
  });

  it('wait and retry when the registry reports too many sessions', async () => {
    registry.server.faults.order('login', { kind: 'session_limit' });
    registry.server.faults.order('login', { kind: 'session_limit' });
    const [first] = await gaining.checkDomains(['a.example'], QUESTION);
    expect(first?.available).toBe(true);
    expect(sentOf('<login>')).toHaveLength(3);
  });

  it('are shared when one becomes free while the registry rejects another', async () => {
    const strict = await startDemoRegistry({ maxSessions: 1 });
    try {
      const client = strict.client('gaining', {
        reconnect: { firstMs: 60_000, maxMs: 60_000, attempts: 2 },
      });
      const answers = await Promise.all(
        ['a.example', 'b.example', 'c.example'].map((name) =>
          client.checkDomains([name], QUESTION),
        ),
      );
      expect(answers.flat().map(({ name }) => name)).toEqual([
        'a.example',
        'b.example',
        'c.example',
      ]);
    } finally {
      await strict.close();
    }
  });

  it('fail with EppUnreachable when the registry is down', async () => {
    await registry.server.close();
    await expect(gaining.checkDomains(['a.example'], QUESTION)).rejects.toThrow(EppUnreachable);
  });

  it('do not retry a wrong password', async () => {
    const client = registry.client('gaining', { password: 'wrong-password' });
    const refused = await refusalOf(client.checkDomains(['a.example'], QUESTION));
    expect(refused.code).toBe(2200);
    expect(sentOf('<login>')).toHaveLength(1);
  });

  it('change the password once, and accept both settings afterward', async () => {
    const change = { newPassword: 'gaining-pw-2' };
    await registry.client('gaining', change).checkDomains(['a.example'], QUESTION);
    expect(registry.state.accounts.gaining?.password).toBe('gaining-pw-2');
    await registry.client('gaining', change).checkDomains(['a.example'], QUESTION);
    await registry
      .client('gaining', { password: 'gaining-pw-2' })
      .checkDomains(['a.example'], QUESTION);
    expect(changes()).toEqual(['login']);
  });

  it('change the password even if the answer to the change is lost', async () => {
    registry.server.faults.order('login', { kind: 'cut_after' });
    const client = registry.client('gaining', { newPassword: 'gaining-pw-2' });
    const [first] = await client.checkDomains(['a.example'], QUESTION);
    expect(first?.available).toBe(true);
    expect(changes()).toEqual(['login']);
  });

  it('send nothing for a caller that has given up', async () => {
    const slow = registry.client('gaining', { maxSessions: 1 });
    const caller = new AbortController();
    const waiting = slow.createDomain(
      { name: 'neatsofa.example', authInfo: 'code-1234' },
      { ...named('given-up'), signal: caller.signal },
    );
    // The login is under way: a session comes, but nobody waits for it.
    caller.abort(new Error('too late'));
    await expect(waiting).rejects.toThrow(EppUnreachable);
    const late = { clTRID: 'given-up-2', signal: caller.signal };
    await expect(slow.checkDomains(['a.example'], late)).rejects.toThrow(EppUnreachable);
    await slow.checkDomains(['a.example'], QUESTION);
    expect(sentOf('given-up').filter((each) => !each.includes('<login>'))).toEqual([]);
    expect(sentOf('<login>')).toHaveLength(1);
  });

  it('send hello while idle', async () => {
    const client = registry.client('gaining', { keepAliveMs: 5, maxSessions: 1 });
    await client.checkDomains(['a.example'], QUESTION);
    await eventually(() => sentOf('<hello/>').length >= 3);
    await client.checkDomains(['b.example'], QUESTION);
    expect(sentOf('<login>')).toHaveLength(1);
  });

  it('reopen after the registry closed them', async () => {
    await gaining.checkDomains(['a.example'], QUESTION);
    registry.server.cutAll();
    const [first] = await gaining.checkDomains(['a.example'], QUESTION);
    expect(first?.available).toBe(true);
  });
});

const BREAKS: RegistryFault[] = [
  { kind: 'cut_before' },
  { kind: 'cut_after' },
  { kind: 'half_frame' },
  { kind: 'wrong_length' },
];

const CONTACT: NewContact = {
  id: 'robin-1',
  postalInfo: [{ type: 'int', name: 'Robin <&> Sons', city: 'Springfield', country: 'US' }],
  email: 'robin@mail.example',
  authInfo: 'contact-code',
};

/** Each change: what comes before it, and itself. */
const CHANGES: [
  verb: string,
  prepare: () => Promise<unknown>,
  make: (name: CommandName) => Promise<unknown>,
][] = [
  [
    'create',
    async () => {},
    (name) => losing.createDomain({ name: 'neatsofa.example', authInfo: 'code-1234' }, name),
  ],
  [
    'update',
    async () => {},
    (name) =>
      losing.updateDomain(
        { name: 'oakdeck.example', add: { statuses: ['clientHold'] }, authInfo: 'new-code' },
        name,
      ),
  ],
  [
    'renew',
    async () => {},
    (name) =>
      losing.renewDomain({ name: 'oakdeck.example', expiresAt: expiryAtFirst, years: 1 }, name),
  ],
  ['delete', async () => {}, (name) => losing.deleteDomain('oakdeck.example', name)],
  [
    'update',
    () => losing.createHost({ name: 'ns1.host.example' }, named('register')),
    (name) =>
      losing.updateHost(
        { name: 'ns1.host.example', add: [{ ip: 'v4', address: '192.0.2.1' }] },
        name,
      ),
  ],
  [
    'delete',
    () => losing.createHost({ name: 'ns1.host.example' }, named('register')),
    (name) => losing.deleteHost('ns1.host.example', name),
  ],
  [
    'update',
    () => losing.createContact(CONTACT, named('register')),
    (name) => losing.updateContact({ id: CONTACT.id, email: 'robin@new.example' }, name),
  ],
  [
    'delete',
    () => losing.createContact(CONTACT, named('register')),
    (name) => losing.deleteContact(CONTACT.id, name),
  ],
  [
    'transfer request',
    async () => {},
    (name) => gaining.requestTransfer({ domain: 'oakdeck.example', authInfo: 'right-code' }, name),
  ],
  [
    'transfer approve',
    () => requested(),
    (name) => losing.endTransfer('approve', 'oakdeck.example', name),
  ],
  [
    'transfer reject',
    () => requested(),
    (name) => losing.endTransfer('reject', 'oakdeck.example', name),
  ],
  [
    'transfer cancel',
    () => requested(),
    (name) => gaining.endTransfer('cancel', 'oakdeck.example', name),
  ],
];
let expiryAtFirst: Date;

describe.each(CHANGES)('a change (%s)', (verb, prepare, make) => {
  const made = () => changes().filter((each) => each === verb);

  beforeEach(async () => {
    const domain = await register();
    if (!domain.expiresAt) throw new Error('a domain without expiry');
    expiryAtFirst = domain.expiresAt;
    await prepare();
  });

  it.each(BREAKS)('is made once when the connection fails: $kind', async (fault) => {
    registry.server.faults.order(verb, fault);
    await make(named('change-1'));
    expect(made()).toEqual([verb]);
  });

  it('is not repeated by a second process that does not know the outcome', async () => {
    const name = named('change-1');
    await make(name);
    await make({ ...name, resumed: true });
    expect(made()).toEqual([verb]);
  });

  it('is made by a second process when the first one did not make it', async () => {
    await make(named('change-1', true));
    expect(made()).toEqual([verb]);
  });

  it('reports the registry’s result code when it fails', async () => {
    registry.server.faults.order(verb, { kind: 'command_failed' });
    const refused = await refusalOf(make(named('change-1')));
    expect([refused.code, refused.isTemporary]).toEqual([2400, true]);
    expect(made()).toEqual([]);
  });

  it('is retried on another session when the session limit is reached', async () => {
    registry.server.faults.order(verb, { kind: 'session_limit' });
    await make(named('change-1'));
    expect(made()).toEqual([verb]);
  });

  it('is looked up before it is resent when the answer is late', async () => {
    registry.server.faults.order(verb, { kind: 'slow', ms: 600_000 });
    const hasty = { timeouts: { connectMs: 20_000, answerMs: 1_500 } };
    [gaining, losing] = [registry.client('gaining', hasty), registry.client('losing', hasty)];
    await make(named('change-1'));
    expect(made()).toEqual([verb]);
  });
});

describe('an EPP transfer', () => {
  beforeEach(() => register());

  it('stays pending until approved, then changes account, auth code and expiry', async () => {
    const before = await losing.findDomain('oakdeck.example', QUESTION);
    const transfer = await requested();
    expect([transfer.status, transfer.reID, transfer.acID]).toEqual([
      'pending',
      'gaining',
      'losing',
    ]);
    expect(Number(transfer.actionAt) - Number(transfer.requestedAt)).toBe(5 * DAY);
    const during = await gaining.findDomain('oakdeck.example', QUESTION);
    expect(during?.statuses).toContain('pendingTransfer');
    await losing.endTransfer('approve', 'oakdeck.example', named('a-1'));
    const after = await gaining.findDomain('oakdeck.example', QUESTION);
    expect(after?.clID).toBe('gaining');
    expect(await gaining.hasAuthInfo('oakdeck.example', 'right-code', QUESTION)).toBe(false);
    expect(Number(after?.expiresAt) - Number(before?.expiresAt)).toBeGreaterThan(364 * DAY);
  });

  it('is approved by the registry after five days', async () => {
    await requested();
    registry.clock.advance(5 * DAY);
    const transfer = await gaining.findTransfer('oakdeck.example', QUESTION);
    expect(transfer?.status).toBe('serverApproved');
  });

  it.each<[code: number, why: string, prepare: () => Promise<string>]>([
    [2202, 'wrong code', async () => 'wrong-code'],
    [
      2304,
      'locked',
      async () => {
        const lock = { statuses: ['clientTransferProhibited'] as const };
        await losing.updateDomain({ name: 'oakdeck.example', add: lock }, named('lock'));
        return 'right-code';
      },
    ],
    [
      2300,
      'pending already',
      async () => {
        await requested();
        return 'right-code';
      },
    ],
    [
      2106,
      'transferred within 60 days',
      async () => {
        await requested();
        await losing.endTransfer('approve', 'oakdeck.example', named('a-1'));
        const code = { name: 'oakdeck.example', authInfo: 'second-code' };
        await gaining.updateDomain(code, named('code'));
        [gaining, losing] = [losing, gaining];
        return 'second-code';
      },
    ],
  ])('is rejected with %i: %s', async (code, _why, prepare) => {
    const authInfo = await prepare();
    const refused = await refusalOf(
      gaining.requestTransfer({ domain: 'oakdeck.example', authInfo }, named('trf-2')),
    );
    expect(refused.code).toBe(code);
  });

  it('is not requested again if it was rejected before the answer arrived', async () => {
    await requested();
    await losing.endTransfer('reject', 'oakdeck.example', named('a-1'));
    const known = await gaining.requestTransfer(
      { domain: 'oakdeck.example', authInfo: 'right-code' },
      { ...named('trf-1', true), since: new Date(registry.clock.now().getTime() - 60_000) },
    );
    expect(known.status).toBe('clientRejected');
    expect(changes().filter((each) => each === 'transfer request')).toHaveLength(1);
  });

  it('is not requested again if it completed before the answer arrived', async () => {
    const name = named('trf-1');
    await gaining.requestTransfer({ domain: 'oakdeck.example', authInfo: 'right-code' }, name);
    await losing.endTransfer('approve', 'oakdeck.example', named('a-1'));
    const known = await gaining.requestTransfer(
      { domain: 'oakdeck.example', authInfo: 'right-code' },
      { ...name, resumed: true },
    );
    expect(known.status).toBe('clientApproved');
    expect(changes().filter((each) => each === 'transfer request')).toHaveLength(1);
  });

  it('does not take another registrar’s pending transfer for our own', async () => {
    registry.state.accounts['third-party'] = { password: 'third-party-pw' };
    const other = new EppClient(
      registry.sessions('gaining', { clientId: 'third-party', password: 'third-party-pw' }),
      'third-party',
    );
    await requested();
    const transfer = { domain: 'oakdeck.example', authInfo: 'right-code' };
    const refused = await refusalOf(other.requestTransfer(transfer, named('trf-3', true)));
    expect(refused.code).toBe(2300);
  });

  it('does not take the transfer of an earlier sale for a new request', async () => {
    await requested();
    await losing.endTransfer('reject', 'oakdeck.example', named('a-1'));
    registry.clock.advance(DAY);
    const second = await requested('trf-2', true);
    expect(second.status).toBe('pending');
    expect(changes().filter((each) => each === 'transfer request')).toHaveLength(2);
  });
});

describe('the EPP message queue', () => {
  const OPTIONS = { limit: 100, signal };

  beforeEach(async () => {
    await register();
    await requested();
    await losing.endTransfer('approve', 'oakdeck.example', named('a-1'));
  });

  it('is read in order and emptied', async () => {
    const read: PollMessage[] = [];
    const taken = await drainPollQueue(losing, async (message) => void read.push(message), OPTIONS);
    expect(taken).toBe(2);
    expect(read.map(({ transfer }) => transfer?.status)).toEqual(['pending', 'clientApproved']);
    expect(read.map(({ count }) => count)).toEqual([2, 1]);
    expect(await losing.firstMessage(QUESTION)).toBeUndefined();
  });

  it('keeps a message that could not be recorded', async () => {
    const fail = () => Promise.reject(new Error('no database'));
    await expect(drainPollQueue(losing, fail, OPTIONS)).rejects.toThrow('no database');
    expect((await losing.firstMessage(QUESTION))?.count).toBe(2);
    expect(sentOf('op="ack"')).toEqual([]);
  });

  it.each([...BREAKS])('loses no message when the acknowledgment fails: $kind', async (fault) => {
    registry.server.faults.order('poll ack', fault);
    const read = new Set<string>();
    await drainPollQueue(losing, async ({ id }) => void read.add(id), OPTIONS);
    expect(read.size).toBe(2);
    expect(await losing.firstMessage(QUESTION)).toBeUndefined();
  });
});

describe('changing a domain', () => {
  const NAME = 'oakdeck.example';
  const find = async () => {
    const domain = await losing.findDomain(NAME, QUESTION);
    if (!domain) throw new Error('it has gone');
    return domain;
  };
  beforeEach(() => register());

  it('adds DNSSEC signers and removes one of them', async () => {
    const [one, other] = ['AB', 'CD'].map((byte) => ({
      keyTag: 1,
      alg: 13,
      digestType: 2,
      digest: byte.repeat(32),
    }));
    if (!one || !other) throw new Error('no signers');
    await losing.updateDomain({ name: NAME, dsData: { add: [one, other] } }, named('ds-1'));
    registry.server.faults.order('update', { kind: 'cut_after' });
    await losing.updateDomain({ name: NAME, dsData: { remove: [one] } }, named('ds-2'));
    expect((await find()).dsData).toEqual([other]);
    expect(changes().filter((each) => each === 'update')).toHaveLength(2);
  });

  it('takes a domain out of DNS and puts it back', async () => {
    const hold = { statuses: ['clientHold'] as const };
    await losing.updateDomain({ name: NAME, add: hold }, named('hold-1'));
    expect((await find()).statuses).toContain('clientHold');
    await losing.updateDomain({ name: NAME, remove: hold }, named('hold-2'));
    expect((await find()).statuses).not.toContain('clientHold');
  });

  it('restores a domain in redemption with a request, its fee and a report', async () => {
    await losing.deleteDomain(NAME, named('del-1'));
    expect((await find()).rgpStatuses).toEqual(['redemptionPeriod']);
    const [fees] = await losing.findFees([NAME], 1, QUESTION);
    if (!fees?.restore) throw new Error('no fee');
    const request = { name: NAME, restore: 'request', fee: fees.restore } as const;
    const wrong = { ...request, fee: fees.restore.plus(fees.restore) };
    expect((await refusalOf(losing.updateDomain(wrong, named('res-0')))).code).toBe(2004);
    for (const resumed of [false, true]) {
      await losing.updateDomain(request, named('res-1', resumed));
    }
    expect((await find()).rgpStatuses).toEqual(['pendingRestore']);
    const report = {
      before: 'No name servers.',
      after: 'No name servers.',
      deletedAt: registry.clock.now(),
      restoredAt: registry.clock.now(),
      reason: 'Deleted by mistake.',
      statements: ['The data are as they were.', 'It is for its registrant.'],
    } as const;
    await losing.updateDomain({ name: NAME, restore: report }, named('rep-1'));
    expect((await find()).rgpStatuses).toEqual([]);
    expect(registry.state.charges.filter(({ command }) => command === 'restore')).toHaveLength(1);
  });
});

describe('reading objects', () => {
  it('returns the statuses, name servers, contacts and signers of a domain', async () => {
    await losing.createHost({ name: 'ns1.host.example' }, named('h-1'));
    await losing.createContact(CONTACT, named('c-1'));
    const ds = { keyTag: 1, alg: 13, digestType: 2, digest: 'AB'.repeat(32) };
    await losing.createDomain(
      {
        name: 'oakdeck.example',
        nameservers: ['ns1.host.example'],
        registrant: 'robin-1',
        contacts: [{ type: 'admin', id: 'robin-1' }],
        authInfo: 'right-code',
        dsData: [ds],
      },
      named('d-1'),
    );
    expect(await losing.findDomain('oakdeck.example', QUESTION)).toMatchObject({
      statuses: ['ok'],
      nameservers: ['ns1.host.example'],
      registrant: 'robin-1',
      contacts: [{ type: 'admin', id: 'robin-1' }],
      dsData: [ds],
    });
    const contact = await losing.findContact('robin-1', QUESTION);
    expect(contact?.postalInfo[0]?.name).toBe('Robin <&> Sons');
    expect((await losing.findHost('ns1.host.example', QUESTION))?.statuses).toEqual(['linked']);
  });

  it('never returns the auth code, which can only be checked', async () => {
    await register();
    for (const client of [losing, gaining]) {
      expect((await client.findDomain('oakdeck.example', QUESTION))?.authInfo).toBeNull();
      expect(await client.hasAuthInfo('oakdeck.example', 'right-code', QUESTION)).toBe(true);
      expect(await client.hasAuthInfo('oakdeck.example', 'wrong-code', QUESTION)).toBe(false);
    }
  });

  it('returns undefined for unknown objects', async () => {
    expect(await losing.findDomain('none.example', QUESTION)).toBeUndefined();
    expect(await losing.findContact('none', QUESTION)).toBeUndefined();
    expect(await losing.findHost('none.example', QUESTION)).toBeUndefined();
    expect(await losing.findTransfer('none.example', QUESTION)).toBeUndefined();
  });

  it('repeats the query once when the answer is lost', async () => {
    await register();
    registry.server.faults.order('info', { kind: 'cut_after' });
    expect((await losing.findDomain('oakdeck.example', QUESTION))?.clID).toBe('losing');
  });
});

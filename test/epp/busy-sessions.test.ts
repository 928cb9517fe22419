import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EppClient } from '../../shared/domains/epp/epp-client.ts';
import { question } from '../../shared/domains/epp/epp-send.ts';
import type { EppSessions } from '../../shared/domains/epp/epp-sessions.ts';
import { liftLegalHold, placeLegalHold } from '../../shared/domains/legal-holds/legal-holds.ts';
import { createEppRegistrar } from '../../shared/domains/registrar/epp-registrar.ts';
import type { DomainChange, Registrar } from '../../shared/domains/registrar/registrar.ts';
import { HOUR } from '../../shared/platform/clock.ts';
import { createSharedAbort } from '../../shared/platform/concurrency/deadline.ts';
import { type DemoRegistry, startDemoRegistry } from '../support/demo-registry.ts';
import { eventually } from '../support/eventually.ts';
import { AUTH_CODE, registered, registrySettings } from '../support/live-registry.ts';
import { KEPT_REGISTRANT } from '../support/registrants.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';

let registry: DemoRegistry;
let runtime: TestRuntime;
let sessions: EppSessions;
let registrar: Registrar;
let domain: string;
/** Told of each command that the registry carries out, before it is answered. */
let heard: (verb: string) => void;

beforeEach(async () => {
  heard = () => {};
  registry = await startDemoRegistry({
    rewrite(answer, verb) {
      heard(verb);
      return Buffer.from(answer);
    },
  });
  runtime = await createTestRuntime(registrySettings(registry));
  sessions = registry.sessions('gaining', { maxSessions: 1 });
  const rules = { creationLockDays: 0, transferLockDays: 0, until: null };
  registrar = createEppRegistrar({
    ...runtime,
    client: new EppClient(sessions, 'gaining'),
    transferRulesOf: async () => rules,
    registrantOf: async () => KEPT_REGISTRANT,
    clientId: 'gaining',
  });
  domain = registered(registry, 'gaining');
});
afterEach(async () => {
  await runtime.stop();
  await registry.close();
});

const { signal } = createSharedAbort();
const hold = () =>
  placeLegalHold(runtime, 'cli:first', { domain, kind: 'urs', caseReference: 'URS2026-1' });
const client = () => new EppClient(sessions, 'gaining');

/** Takes the one session, for as long as nobody cuts it: the registry takes its time. */
async function takeSession(): Promise<void> {
  registry.server.faults.order('check', { kind: 'slow', ms: HOUR });
  await client()
    .urgent()
    .checkContacts(['slow'], question(signal))
    .catch(() => {});
}
const noted = async (): Promise<string[]> => runtime.db.knex('registrar_commands').pluck('step');

const change = (wanted: DomainChange) => () =>
  registrar.change({ clientReference: 'chg_1', domain, change: wanted });

describe('a legal hold placed while commands wait for a session', () => {
  const COMMANDS: [string, string, () => Promise<unknown>][] = [
    ['a lock', 'info', change({ kind: 'lock', enabled: true })],
    ['clientHold', 'info', change({ kind: 'hold', enabled: true })],
    ['name servers', 'info', change({ kind: 'nameservers', nameservers: ['ns1.example.net'] })],
    ['a renewal', 'info', change({ kind: 'renew', years: 1 })],
    ['a registrant', 'info', change({ kind: 'registrant', registrant: KEPT_REGISTRANT })],
    [
      'signers',
      'info',
      change({
        kind: 'signers',
        signers: [{ keyTag: 1, alg: 13, digestType: 2, digest: 'AB'.repeat(32) }],
      }),
    ],
    [
      'an authorization code',
      'info',
      () => registrar.issueAuthCode({ clientReference: 'code_1', domain }),
    ],
    ['a push', 'info', () => registrar.push({ clientReference: 'push_1', domain })],
    [
      'an approval',
      'transfer query',
      () =>
        registrar.answerTransfer({
          clientReference: 'out_1',
          domain,
          answer: 'approve',
          requestedBy: 'losing',
        }),
    ],
  ];

  it.each(COMMANDS)('stops %s', async (_what, question, send) => {
    const name = { clTRID: 'ask-1', since: new Date(), resumed: false, signal };
    await registry.client('losing').requestTransfer({ domain, authInfo: AUTH_CODE }, name);
    const isApproval = question === 'transfer query';
    const { transfer } = registry.state.domains[domain] ?? {};
    if (!isApproval) Object.assign(registry.state.domains[domain] ?? {}, { transfer: null });
    const before = registry.changes.length;
    let taken: Promise<void> | undefined;
    const isTaken = new Promise<void>((resolve) => {
      heard = (verb) => {
        if (verb === 'check') resolve();
        // Whatever follows on this answer comes behind it in the queue.
        else if (verb === question) taken ??= takeSession();
      };
    });
    const sent = send();
    await isTaken;
    await hold();
    registry.server.cutAll();
    const answer = await sent;
    expect(JSON.stringify(answer)).toMatch(isApproval ? /pending/ : /legal.hold/);
    await taken;
    expect(registry.changes.slice(before)).toEqual([]);
    expect(transfer?.status).toBe('pending');
  });

  it('stops a command that was already recorded, which runs again when the hold is lifted', async () => {
    let taken: Promise<void> | undefined;
    heard = (verb) => {
      if (verb === 'info') taken ??= takeSession();
    };
    const lock = change({ kind: 'lock', enabled: true });
    const sent = lock();
    await eventually(noted, (steps) => steps.includes('lock'));
    const { id } = await hold();
    registry.server.cutAll();
    expect(await sent).toMatchObject({ status: 'refused' });
    await taken;
    expect(registry.changes).toEqual([]);
    await liftLegalHold(runtime, 'cli:second', id);
    expect(await lock()).toMatchObject({ status: 'done', facts: { locked: true } });
  });

  it('reaches the registry ahead of all waiting commands', async () => {
    const WAITING = 10;
    const order: string[] = [];
    const taken = takeSession();
    const asked = Array.from({ length: WAITING }, (_, at) => {
      registry.server.faults.order('check', { kind: 'slow', ms: 200 });
      return client().checkContacts([`waits-${at}`], question(signal));
    });
    const placed = await hold();
    heard = (verb) => order.push(verb);
    const kept = registrar.change({
      clientReference: `${placed.id}-keep`,
      domain,
      change: { kind: 'legal_hold', enabled: true },
      duringLegalHold: true,
    });
    registry.server.cutAll();
    expect(await kept).toMatchObject({ status: 'done', facts: { locked: true } });
    expect(order.indexOf('info')).toBeLessThanOrEqual(order.indexOf('check'));
    const ahead = order.slice(0, order.indexOf('update')).filter((verb) => verb === 'check');
    expect(ahead.length).toBeLessThan(WAITING / 2);
    await Promise.all([taken, ...asked]);
  });
});

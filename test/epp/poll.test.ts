import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { announceMaintenance, changeByRegistry } from '../../epp-demo/registry-notices.ts';
import { notify } from '../../epp-demo/registry-rules.ts';
import { EppRefused } from '../../shared/domains/epp/epp-errors.ts';
import { EppQueueBlocked } from '../../shared/domains/epp/epp-poll.ts';
import { question } from '../../shared/domains/epp/epp-send.ts';
import type { Registrar } from '../../shared/domains/registrar/registrar.ts';
import { addMs, DAY } from '../../shared/platform/clock.ts';
import { createSharedAbort } from '../../shared/platform/concurrency/deadline.ts';
import { type DemoRegistry, startDemoRegistry } from '../support/demo-registry.ts';
import { eventually } from '../support/eventually.ts';
import {
  AUTH_CODE,
  liveRegistrar,
  registered,
  registrySettings,
} from '../support/live-registry.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../support/runtime.ts';

/** What the registry writes in place of an answer of its own. */
type Rewrite<T = string | Uint8Array> = (answer: string) => T;

let registry: DemoRegistry;
let runtime: TestRuntime;
let registrar: Registrar;
/** By the id of the message that a poll brings, or by the command. */
let rewrites: Map<string, Rewrite>;

beforeEach(async () => {
  rewrites = new Map();
  registry = await startDemoRegistry({
    rewrite(answer, command) {
      const key =
        command === 'poll req' ? (/<msgQ [^>]*id="([^"]*)"/.exec(answer)?.[1] ?? '') : command;
      const written = rewrites.get(key)?.(answer) ?? answer;
      return Buffer.from(written);
    },
  });
  runtime = await createTestRuntime({ ...registrySettings(registry), eppAnswerMs: 30_000 });
  registrar = liveRegistrar(runtime);
});
afterEach(async () => {
  await runtime.stop();
  await registry.close();
});

const { signal } = createSharedAbort();
const queue = () => registry.state.queues.gaining ?? [];
const messages = () => runtime.db.knex('registrar_messages').orderBy('recorded_at').select();
const read = () => registrar.readMessages(100, signal);
const without =
  (element: string): Rewrite<string> =>
  (answer) =>
    answer.replace(new RegExp(`<[\\w:]*${element}(\\s[^>]*)?>.*?</[\\w:]*${element}>`, 's'), '');
const saying =
  (element: string, text: string): Rewrite<string> =>
  (answer) =>
    answer.replace(
      new RegExp(`(<[\\w:]*${element}(?:\\s[^>]*)?>).*?(</[\\w:]*${element}>)`, 's'),
      `$1${text}$2`,
    );

/** A domain on its way to a buyer, for which another registrar has asked; the registry has told us. */
async function askedFor(): Promise<string> {
  const domain = registered(registry, 'gaining');
  await sell(domain);
  await askFor(domain);
  return domain;
}

async function sell(domain: string): Promise<void> {
  registry.state.domains[domain]?.statuses.push('clientUpdateProhibited');
  await registrar.push({ clientReference: `trf_${domain}`, domain });
}

async function askFor(domain: string): Promise<void> {
  const name = { clTRID: `leave-${domain}`, since: registry.clock.now(), resumed: false, signal };
  await registry.client('losing').requestTransfer({ domain, authInfo: AUTH_CODE }, name);
}
const transferOf = (domain: string) => registry.state.domains[domain]?.transfer?.status;

const HUGE = `<!--${'x'.repeat(1_200_000)}-->`;
const UNREADABLE: [string, Rewrite][] = [
  ['has no acDate', without('acDate')],
  ['has no acID', without('acID')],
  ['has no reID', without('reID')],
  ['has no trStatus', without('trStatus')],
  ['has an unknown trStatus', saying('trStatus', 'awaitingApproval')],
  ['has an empty trStatus', saying('trStatus', '')],
  ['has odd dates', (answer) => saying('reDate', '27.11.2026')(`${saying('acDate', '5')(answer)}`)],
  ['has an odd date of the queue', saying('qDate', 'yesterday')],
  [
    'has a prefix that nobody declared',
    (answer) => answer.replaceAll(/ xmlns:domain="[^"]*"/g, ''),
  ],
  ['has a result that nobody knows', (answer) => answer.replace('"1301"', '"1399"')],
  ['is not well-formed', (answer) => answer.replace('</response>', '</respons>')],
  ['is cut off', (answer) => answer.slice(0, answer.indexOf('trStatus'))],
  ['is not UTF-8', (answer) => Buffer.from(answer.replace('Transfer', '\xff'), 'latin1')],
  ['is UTF-16', (answer) => Buffer.from(`\ufeff${answer}`, 'utf16le')],
  ['has a document type', (answer) => answer.replace('?>', '?><!DOCTYPE epp>')],
  ['has a character that XML cannot carry', saying('qDate', '&#0;')],
  [
    'has a NUL in the name of a namespace',
    (answer) => answer.replace(':domain-1.0', ':\0domain-1.0'),
  ],
  ['is longer than we take', (answer) => answer.replace('</response>', `${HUGE}</response>`)],
  ['is the answer to another command', saying('clTRID', 'another-1')],
];

describe('a registry message for staff', () => {
  const about = () => ({ state: registry.state, clock: registry.clock });

  it('reports what the registry changed, who did it, when and why, before and after', async () => {
    const domain = registered(registry, 'gaining');
    const change = {
      operation: 'update',
      who: 'URS Admin',
      caseId: { type: 'urs', id: 'urs123' },
      reason: 'URS Lock',
    } as const;
    changeByRegistry(about(), domain, change, ({ statuses }) => {
      statuses.push('serverTransferProhibited');
    });
    expect(await read()).toBe(2);
    expect(queue()).toEqual([]);
    const [before, after] = await messages();
    const what =
      /^The registry changed the domain \(update, .* UTC\); by: URS Admin; reason: URS Lock; case: urs urs123\. /;
    expect(before).toMatchObject({ domain, seen_at: null, fault: expect.stringMatching(what) });
    expect(before?.fault).toMatch(/Before: statuses inactive; name servers none; expires .*\.$/);
    expect(after?.fault).toMatch(/Afterwards: statuses serverTransferProhibited, inactive;/);
    expect(String(after?.raw)).toContain('changePoll:changeData');
  });

  it('reports a domain that left although it should have stayed', async () => {
    const free = registered(registry, 'gaining');
    await askFor(free);
    const kept = await askedFor();
    registry.clock.advance(6 * DAY);
    await registry.client('losing').findDomain(free, question(signal));
    await registry.client('losing').findDomain(kept, question(signal));
    await read();
    const left = await messages().where({ transfer_status: 'serverApproved' });
    expect(left.map(({ domain, fault }) => [domain, fault])).toEqual([
      [free, null],
      [
        kept,
        expect.stringMatching(/^Another registrar \(losing\) has the domain now.*Tell whoever/),
      ],
    ]);
  });

  it('reports when maintenance starts and ends', async () => {
    announceMaintenance(about(), 'gaining', {
      id: '2e6df9b0',
      start: new Date('2026-12-30T06:00:00Z'),
      end: new Date('2026-12-30T14:30:00Z'),
      systems: ['EPP', 'WHOIS'],
    });
    expect(await read()).toBe(1);
    expect(await messages()).toMatchObject([
      {
        fault:
          'Maintenance of EPP, WHOIS from Dec 30, 2026, 06:00 UTC to Dec 30, 2026, 14:30 UTC (create, planned).',
      },
    ]);
  });

  it('keeps unannounced data of the registry as received', async () => {
    const strange = { namespace: 'urn:x:balance', attributes: {}, children: [], text: '' };
    const left = { ...strange, name: 'left', text: '12.50' };
    notify(about(), 'gaining', {
      text: 'Low balance.',
      data: { ...strange, name: 'low', children: [left] },
    });
    expect(await read()).toBe(1);
    expect(queue()).toEqual([]);
    const [kept] = await messages();
    expect(kept).toMatchObject({ text: 'Low balance.', fault: 'low (urn:x:balance) is unknown.' });
    expect(String(kept?.raw)).toContain('<left>12.50</left>');
    expect(String(kept?.raw)).toContain('not in login services');
  });

  it('warns once that our password expires', async () => {
    const account = registry.state.accounts.gaining;
    Object.assign(account ?? {}, {
      passwordExpiresAt: addMs(registry.clock.now(), 10 * DAY).toISOString(),
    });
    await read();
    await eventually(messages, ({ length }) => length === 1);
    const other = await joinRuntime(runtime);
    await other.registrars('LIVE').readMessages(1, signal);
    await other.stop();
    expect(await messages()).toMatchObject([
      {
        registry: 'gaining',
        text: 'The password expires soon.',
        fault: expect.stringMatching(/^A login warning about our password\. It expires .* UTC\.$/),
      },
    ]);
  });
});

describe('an unreadable registry message', () => {
  it.each(UNREADABLE)(
    'does not block the queue or let a sold domain leave if it %s',
    async (_what, rewrite) => {
      const domain = await askedFor();
      const [first] = queue();
      rewrites.set(first?.id ?? '', rewrite);
      queue().push({
        id: 'behind',
        queuedAt: registry.clock.now().toISOString(),
        text: 'Hello',
        transfer: null,
      });
      expect(await read()).toBeGreaterThanOrEqual(2);
      expect(queue()).toEqual([]);
      const kept = await messages();
      expect(kept.map(({ id }) => id)).toEqual(expect.arrayContaining([first?.id, 'behind']));
      expect(kept.find(({ id }) => id === 'behind')).toMatchObject({
        text: 'Hello',
        fault: null,
        raw: null,
      });
      expect(transferOf(domain)).toBe('clientRejected');
    },
  );

  it('is kept as received, without auth codes, and says what could not be read', async () => {
    await askedFor();
    const [first] = queue();
    rewrites.set(first?.id ?? '', (answer) =>
      without('acDate')(answer).replace(
        '</domain:trnData>',
        '<domain:pw>s3cret</domain:pw></domain:trnData>',
      ),
    );
    await read();
    const kept = (await messages()).find(({ id }) => id === first?.id);
    expect(kept).toMatchObject({
      fault: 'A transfer without acDate that can be read.',
      seen_at: null,
    });
    expect(String(kept?.raw)).toContain('<domain:pw>[removed]</domain:pw>');
    expect(String(kept?.raw)).toContain(`id="${first?.id}"`);
  });

  it('is kept as received when it is about an unknown object', async () => {
    await askedFor();
    const [first] = queue();
    rewrites.set(first?.id ?? '', (answer) =>
      answer.replace(
        /<resData>.*<\/resData>/s,
        '<resData><low xmlns="urn:x:balance"><left>1</left></low></resData>',
      ),
    );
    await read();
    const kept = (await messages()).find(({ id }) => id === first?.id);
    expect(kept?.fault).toBe('low (urn:x:balance) is unknown.');
    expect(String(kept?.raw)).toContain('<left>1</left>');
  });

  it('blocks the queue when it has no ID, and staff are notified once', async () => {
    await askedFor();
    rewrites.set(queue()[0]?.id ?? '', (answer) => answer.replace(/(<msgQ [^>]*)id="[^"]*"/, '$1'));
    for (let time = 0; time < 2; time += 1) await expect(read()).rejects.toThrow(EppQueueBlocked);
    const kept = await messages();
    expect(kept).toHaveLength(1);
    expect(kept[0]?.fault).toContain('does not remove this message from its queue');
    await runtime.db.knex('registrar_messages').update({ seen_at: new Date() });
    await expect(read()).rejects.toThrow(EppQueueBlocked);
    expect((await messages())[0]?.seen_at).not.toBeNull();
  });

  it.each([2002, 2201, 2308])(
    'is reported when the registry rejects its acknowledgment with %i',
    async (code) => {
      await askFor(registered(registry, 'gaining'));
      rewrites.set('poll ack', (answer) =>
        answer.replace('<result code="1000"', `<result code="${code}"`),
      );
      await expect(read()).rejects.toThrow(EppQueueBlocked);
      const [kept] = await messages();
      expect(kept?.fault).toContain('does not remove this message from its queue');
      expect(kept?.seen_at).toBeNull();
    },
  );

  it.each([2200, 2400])(
    'is not reported when its acknowledgment fails with %i for another reason',
    async (code) => {
      await askFor(registered(registry, 'gaining'));
      rewrites.set('poll ack', (answer) =>
        answer.replace('<result code="1000"', `<result code="${code}"`),
      );
      await expect(read()).rejects.toThrow(EppRefused);
      expect((await messages())[0]?.fault).toBeNull();
    },
  );

  it('is acknowledged by the result code, whatever else the answer contains', async () => {
    await askFor(registered(registry, 'gaining'));
    rewrites.set('poll ack', (answer) =>
      answer.replace('</result>', '<value><epp:poll msgID="1" op="ack"/></value></result>'),
    );
    expect(await read()).toBe(1);
    expect(queue()).toEqual([]);
  });

  it('does not block others when a transfer cannot be looked up', async () => {
    const domain = await askedFor();
    registry.server.faults.order('info', { kind: 'command_failed' });
    await read();
    expect(queue()).toEqual([]);
    expect(transferOf(domain)).toBe('pending');
    expect(await read()).toBeLessThanOrEqual(1);
    expect(transferOf(domain)).toBe('clientRejected');
  });

  it('is removed from the queue and kept, whatever it contains', async () => {
    await askFor(registered(registry, 'gaining'));
    const [told] = queue();
    if (!told) throw new Error('the registry told nothing');
    const behindQueue = (answer: string) => answer.indexOf('</msgQ>') + '</msgQ>'.length;
    const cut = fc.nat(2_000).map(
      (at): Rewrite =>
        (answer) =>
          answer.slice(0, Math.max(behindQueue(answer), answer.length - at)),
    );
    const bytes = fc.tuple(fc.nat(2_000), fc.uint8Array({ minLength: 1, maxLength: 4 })).map(
      ([at, noise]): Rewrite =>
        (answer) => {
          const start = behindQueue(answer) + (at % (answer.length - behindQueue(answer)));
          const text = Buffer.from(answer, 'latin1');
          return Buffer.concat([text.subarray(0, start), noise, text.subarray(start)]);
        },
    );
    const elements = [
      'qDate',
      'msg',
      'resData',
      'trnData',
      'name',
      'trStatus',
      'reID',
      'reDate',
      'acID',
      'acDate',
      'exDate',
      'trID',
      'clTRID',
      'svTRID',
    ];
    const element = fc.constantFrom(...elements);
    const xmlText = fc.string({ maxLength: 40 }).map((text) => text.replace(/[<&]/g, '&amp;'));
    const mutation = fc.oneof(
      cut,
      bytes,
      element.map(without),
      fc.tuple(element, xmlText).map(([name, text]) => saying(name, text)),
      fc.constantFrom(...UNREADABLE).map(([, rewrite]) => rewrite),
    );
    const chain = fc.array(mutation, { minLength: 1, maxLength: 2 });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(chain, { minLength: 1, maxLength: 4 }), async (all) => {
        await runtime.db.knex('registrar_messages').delete();
        round += 1;
        registry.state.queues.gaining = all.map((_, at) => ({ ...told, id: `m-${round}-${at}` }));
        const sent = queue().map(({ id }) => id);
        for (const [at, [first, second]] of all.entries()) {
          rewrites.set(sent[at] ?? '', (answer) => {
            const once = first?.(answer) ?? answer;
            return second && typeof once === 'string' ? second(once) : once;
          });
        }
        expect(await read()).toBe(all.length);
        expect(queue()).toEqual([]);
        const kept = await messages();
        expect(kept.map(({ id }) => id).sort()).toEqual([...sent].sort());
        // Nothing of it is lost: all of it was read, or it is there as it came.
        for (const { id, fault, raw } of kept) {
          if (fault !== null) expect(String(raw).replaceAll('\0', '')).toContain(id);
        }
      }),
      { numRuns: 60 },
    );
  });
});

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DEMO_TLS } from '../../epp-demo/demo-tls.ts';
import { findOwnedDomains } from '../../shared/domains/owned-domains/manage-owned-domains.ts';
import { issueOwnCode } from '../../shared/domains/transfers-out/issue-own-code.ts';
import { startWorkers } from '../../workers/start-workers.ts';
import { givenOwnerOf } from '../support/bulk.ts';
import { type DemoRegistry, startDemoRegistry } from '../support/demo-registry.ts';
import { eventually } from '../support/eventually.ts';
import { registered, registrySettings } from '../support/live-registry.ts';
import { using } from '../support/machine-tools.ts';
import { PROMPT } from '../support/quick-fleet.ts';
import { createTestRuntime } from '../support/runtime.ts';

/** Debian's libnet-epp-perl, which shares nothing with our client. */
const PERL = '/usr/bin/perl';
const SCRIPT = fileURLToPath(new URL('net-epp-simple.pl', import.meta.url));

let registry: DemoRegistry;
let folder: string;

beforeAll(async () => {
  registry = await startDemoRegistry({ policy: { transferLockMs: 0 } });
  folder = mkdtempSync(path.join(tmpdir(), 'epp-'));
  writeFileSync(path.join(folder, 'ca.pem'), DEMO_TLS.ca);
  writeFileSync(path.join(folder, 'client.pem'), DEMO_TLS.client.certificate);
  writeFileSync(path.join(folder, 'client.key'), DEMO_TLS.client.key);
});
afterAll(async () => {
  await registry.close();
  rmSync(folder, { recursive: true });
});

using('Net::EPP::Simple').describe('a third-party EPP client', () => {
  it('transfers a domain only with the latest auth code that we issued', async () => {
    const runtime = await createTestRuntime(registrySettings(registry));
    try {
      const registrar = runtime.registrars('LIVE');
      const domain = registered(registry, 'gaining');
      const script = fileURLToPath(new URL('net-epp-transfer.pl', import.meta.url));
      const askWith = async (code: string) => {
        const args = [script, String(registry.server.port), folder, domain, code];
        return (await promisify(execFile)(PERL, args)).stdout.trim();
      };
      const issue = async (clientReference: string, of = domain) => {
        const issued = await registrar.issueAuthCode({ clientReference, domain: of });
        if (issued.status === 'refused') throw new Error(issued.reason);
        return issued.code;
      };
      const old = await issue('dlv_1-1');
      const code = await issue('dlv_1-2');
      const foreign = await issue('dlv_2-1', registered(registry, 'gaining'));
      for (const wrong of [old, foreign]) expect(await askWith(wrong)).toBe('2202 -');
      expect(await askWith(code)).toBe('1001 pending');
      const asked = await registrar.findTransfer(domain);
      expect(asked).toMatchObject({ status: 'pending', requestedBy: 'losing' });
      const approval = { clientReference: 'dlv_1-a', domain, answer: 'approve' } as const;
      expect(await registrar.answerTransfer({ ...approval, requestedBy: 'losing' })).toMatchObject({
        status: 'approved',
      });
      expect(registry.state.domains[domain]?.clID).toBe('losing');
      Object.assign(registry.state.domains[domain] ?? {}, { clID: 'gaining' });
      expect(await askWith(code)).toBe('2202 -');
    } finally {
      await runtime.stop();
      registry.state.domains = {};
      registry.state.queues = {};
    }
  });

  it('transfers a domain out of its owner’s account with the owner’s code', async () => {
    const runtime = await createTestRuntime({
      ...PROMPT,
      ...registrySettings(registry),
      transferPollMaxMs: 100,
    });
    const fleet = startWorkers(runtime, { queues: ['transfer-polls'] });
    try {
      const domain = registered(registry, 'gaining');
      const { userId } = await givenOwnerOf(runtime, [domain]);
      const { authCode } = await issueOwnCode(runtime, { userId, domain });
      const script = fileURLToPath(new URL('net-epp-transfer.pl', import.meta.url));
      const args = [script, String(registry.server.port), folder, domain, authCode];
      const { stdout } = await promisify(execFile)(PERL, args);
      expect(stdout.trim()).toBe('1001 pending');
      await eventually(
        () => findOwnedDomains(runtime.db.knex, userId, [domain]),
        (owned) => owned.size === 0,
        { everyMs: 50 },
      );
      expect(registry.state.domains[domain]?.clID).toBe('losing');
    } finally {
      await fleet.stop();
      await runtime.stop();
      registry.state.domains = {};
      registry.state.queues = {};
    }
  });

  it('checks, creates, updates, renews, transfers and polls at the demo registry', async () => {
    const args = [SCRIPT, String(registry.server.port), folder];
    const { stdout } = await promisify(execFile)(PERL, args);
    const steps = stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(steps).toEqual([
      ['check', 1000, '1'],
      ['create host', 1000, 1],
      ['create contact', 1000, 1],
      ['create', 1000, 1],
      ['create again', 2302, null],
      ['check again', 1000, '0'],
      [
        'info',
        1000,
        {
          name: 'oakdeck.example',
          clID: 'losing',
          registrant: 'robin-1',
          ns: ['ns1.host.example'],
          status: ['ok'],
          authInfo: '',
          contacts: { admin: 'robin-1', tech: 'robin-1' },
        },
      ],
      ['info contact', 1000, 'Example & Sons'],
      ['info host', 1000, [{ addr: '192.0.2.1', version: 'v4' }]],
      ['renew', 1000, 1],
      ['renew with the old date', 2306, null],
      ['lock', 1000, 1],
      ['transfer of a locked one', 2304, null],
      ['unlock', 1000, 1],
      ['transfer with the old code', 2202, null],
      ['transfer', 1001, 'pending'],
      ['query', 1000, 'gaining'],
      ['poll', null, [1301, 'Transfer requested.']],
      ['acknowledge', null, 1000],
      ['poll of an empty queue', null, 1300],
      ['approve', 1000, 1],
      ['info after the transfer', 1000, 'gaining'],
      ['delete of a foreign one', 2201, null],
      ['delete', 1000, 1],
    ]);
    expect(registry.state.domains).toEqual({});
  });
});

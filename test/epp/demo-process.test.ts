import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from '@jest/globals';
import { EppClient } from '../../shared/domains/epp/epp-client.ts';
import { EppSessions } from '../../shared/domains/epp/epp-sessions.ts';
import { createSharedAbort } from '../../shared/platform/concurrency/deadline.ts';
import { createLogger } from '../../shared/platform/observability/logger.ts';
import { endpointOf } from '../support/demo-registry.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'epp-'));
const { signal } = createSharedAbort();
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** `npm run registry`, and a client of it. */
async function start(...more: string[]) {
  const file = path.join(folder, 'registry.json');
  const args = ['--import', 'tsx', 'epp-demo/main.ts', '--port', '0', '--file', file, ...more];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = await once(createInterface(child.stdout), 'line');
  const sessions = new EppSessions(
    {
      endpoint: endpointOf({ port: Number(/:(\d+)$/.exec(line)?.[1]) }),
      clientId: 'marketplace',
      password: 'marketplace-pw',
      maxSessions: 1,
      keepAliveMs: 60_000,
      timeouts: { connectMs: 20_000, answerMs: 20_000 },
      reconnect: { firstMs: 1, maxMs: 1, attempts: 1 },
    },
    createLogger({ level: 'silent', name: 'test' }),
  );
  return { child, sessions, client: new EppClient(sessions, 'marketplace') };
}

it('the demo registry keeps its answered changes when killed and takes faults from the command line', async () => {
  const first = await start('--fault', 'create=cut_after');
  const name = { clTRID: 'create-1', since: new Date(), resumed: false, signal };
  const domain = { name: 'oakdeck.example', authInfo: 'right-code' };
  expect((await first.client.createDomain(domain, name)).clID).toBe('marketplace');
  await first.sessions.close();
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');

  const second = await start();
  const question = { clTRID: 'info-1', signal };
  expect(await second.client.hasAuthInfo('oakdeck.example', 'right-code', question)).toBe(true);
  await second.sessions.close();
  second.child.kill('SIGTERM');
  expect(await once(second.child, 'exit')).toEqual([0, null]);
});

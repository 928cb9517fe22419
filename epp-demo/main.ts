// A registry for development and tests on this machine: npm run registry -- --port 7000
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { DAY, SECOND, systemClock } from '../shared/platform/clock.ts';
import { DEMO_TLS } from './demo-tls.ts';
import { createRegistry } from './registry.ts';
import { FAULT_KINDS, type RegistryFault } from './registry-faults.ts';
import { emptyState, type RegistryState } from './registry-objects.ts';
import { startRegistryServer } from './registry-server.ts';

/** The accounts of a new registry, with their passwords. */
const ACCOUNTS = { marketplace: 'marketplace-pw', elsewhere: 'elsewhere-pw' };

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '7000' },
    // The file to which the state is written after each change; without it, the state is lost on exit.
    file: { type: 'string' },
    'max-sessions': { type: 'string', default: '8' },
    // How long a transfer waits for the losing account; five days at most registries.
    'transfer-seconds': { type: 'string', default: '30' },
    'transfer-lock-days': { type: 'string', default: '0' },
    // Treats every requested domain as registered.
    'made-up-domains': { type: 'boolean', default: false },
    // The file to which to write the environment of a service that uses this registry.
    settings: { type: 'string' },
    // Such as `transfer request=cut_after`; can be repeated, each fault happens once.
    fault: { type: 'string', multiple: true, default: [] },
  },
});

const { file } = values;
const state = file && existsSync(file) ? readState(file) : emptyState(ACCOUNTS);
const registry = createRegistry({
  state,
  policy: {
    transferMs: Number(values['transfer-seconds']) * SECOND,
    transferLockMs: Number(values['transfer-lock-days']) * DAY,
    addGraceMs: 5 * DAY,
    madeUpDomains: values['made-up-domains'],
  },
  clock: systemClock,
  ...(file && { changed: () => writeState(file, state) }),
});
const server = await startRegistryServer({
  registry,
  tls: { ca: DEMO_TLS.ca, ...DEMO_TLS.server },
  port: Number(values.port),
  maxSessions: Number(values['max-sessions']),
});
for (const order of values.fault) {
  const [verb = '', name = ''] = order.split('=');
  server.faults.order(verb, faultNamed(name));
}
if (values.settings) writeFileSync(values.settings, JSON.stringify(settingsOf(server.port)));
console.log(`The demo registry listens on 127.0.0.1:${server.port}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void server.close().then(() => process.exit(0)));
}

/** Returns the environment that a service needs to reach this registry. */
function settingsOf(port: number): Record<string, string> {
  return {
    EPP_HOST: '127.0.0.1',
    EPP_PORT: String(port),
    EPP_CLIENT_ID: 'marketplace',
    EPP_PASSWORD: ACCOUNTS.marketplace,
    EPP_CA: DEMO_TLS.ca,
    EPP_CERTIFICATE: DEMO_TLS.client.certificate,
    EPP_KEY: DEMO_TLS.client.key,
  };
}

function faultNamed(name: string): RegistryFault {
  const kind = FAULT_KINDS.find((each) => each === name);
  if (kind === undefined) throw new Error(`A fault is one of ${FAULT_KINDS.join(', ')}.`);
  return kind === 'slow' ? { kind, ms: 10 * SECOND } : { kind };
}

function readState(from: string): RegistryState {
  return { ...emptyState(ACCOUNTS), ...JSON.parse(readFileSync(from, 'utf8')) };
}

/** Writes the file atomically: if the process dies, the previous file stays. */
function writeState(to: string, value: RegistryState): void {
  mkdirSync(path.dirname(to), { recursive: true });
  writeFileSync(`${to}.new`, JSON.stringify(value));
  renameSync(`${to}.new`, to);
}

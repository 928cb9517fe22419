import { DEMO_TLS } from '../../epp-demo/demo-tls.ts';
import { createRegistrars } from '../../shared/domains/registrar/create-registrars.ts';
import type { RegistrantOfPush, Registrar } from '../../shared/domains/registrar/registrar.ts';
import { sandboxOutcome } from '../../shared/market/inventory/sandbox-names.ts';
import { createTransferPolicyFinder } from '../../shared/market/tlds/transfer-policies.ts';
import { addMs, DAY } from '../../shared/platform/clock.ts';
import { randomBase62 } from '../../shared/platform/ids.ts';
import { type Account, type DemoRegistry, PASSWORDS } from './demo-registry.ts';
import { KEPT_REGISTRANT } from './registrants.ts';
import type { Runtime } from './runtime.ts';

/** Returns the settings that make a service the registrar `gaining` at a test registry. */
export function registrySettings({ server }: Pick<DemoRegistry, 'server'>): Record<string, string> {
  return {
    REGISTRAR_LIVE: 'epp',
    EPP_HOST: '127.0.0.1',
    EPP_PORT: String(server.port),
    EPP_CLIENT_ID: 'gaining',
    EPP_PASSWORD: PASSWORDS.gaining,
    EPP_CA: DEMO_TLS.ca,
    EPP_CERTIFICATE: DEMO_TLS.client.certificate,
    EPP_KEY: DEMO_TLS.client.key,
  };
}

/** Returns the LIVE registrar; by default every push is for the same registrant. */
export function liveRegistrar(
  runtime: Runtime,
  registrantOf: RegistrantOfPush = async () => KEPT_REGISTRANT,
): Registrar {
  return createRegistrars(
    runtime,
    sandboxOutcome,
    createTransferPolicyFinder(runtime),
    registrantOf,
  )('LIVE');
}

/** The authorization code of domains created by {@link registered}. */
export const AUTH_CODE = 'right-code';

/** Registers a domain in an account, long enough ago to be transferable; returns its name. */
export function registered(
  { state, clock }: Pick<DemoRegistry, 'state' | 'clock'>,
  account: Account,
  domain = `d${randomBase62(10).toLowerCase()}.com`,
): string {
  const now = clock.now();
  state.domains[domain] = {
    roid: `D-${domain}`,
    statuses: [],
    registrant: null,
    contacts: [],
    nameservers: [],
    clID: account,
    crID: account,
    createdAt: addMs(now, -100 * DAY).toISOString(),
    updatedAt: null,
    expiresAt: addMs(now, 265 * DAY).toISOString(),
    transferredAt: null,
    authInfo: AUTH_CODE,
    dsData: [],
    rgpStatus: null,
    transfer: null,
  };
  return domain;
}

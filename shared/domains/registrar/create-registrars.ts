import type { Database } from '../../messaging/unit-of-work/database.ts';
import { type Clock, MINUTE } from '../../platform/clock.ts';
import { type Config, type Environment, pemOf } from '../../platform/config/config.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { EppClient } from '../epp/epp-client.ts';
import { EppSessions } from '../epp/epp-sessions.ts';
import { createEppRegistrar } from './epp-registrar.ts';
import type { RegistrantOfPush, Registrar, Registrars, TransferRulesOf } from './registrar.ts';
import { keepLoginEvent } from './registry-notices.ts';
import { createSandboxRegistrar } from './sandbox-registrar.ts';

/** Returns the sandbox outcome encoded in a domain's name; outcomes unrelated to the registrar are ignored. */
export type OutcomeOfName = (environment: Environment, domain: string) => string | null;

interface Scope {
  db: Database;
  clock: Clock;
  config: Config;
  log: Logger;
  secrets: SecretBox;
  /** Registers a function to call when the process stops. */
  beforeStop(release: () => Promise<void>): void;
}

/**
 * Creates the registrars of both environments. If staff move LIVE domains by hand, a sandbox registrar, which moves no
 * domain, stands in for a real one.
 */
export function createRegistrars(
  scope: Scope,
  outcomeOf: OutcomeOfName,
  transferRulesOf: TransferRulesOf,
  registrantOf: RegistrantOfPush,
): Registrars {
  const sandbox = (environment: Environment) =>
    createSandboxRegistrar(scope, environment, (domain) => {
      const outcome = outcomeOf(environment, domain);
      if (outcome === 'slow_transfer' || outcome === 'fail_transfer') return outcome;
      // Owners' domains are LIVE, even in development, where their outcomes are simulated.
      const plays = environment === 'SANDBOX' || scope.config.nodeEnv !== 'production';
      return plays && outcomeOf('SANDBOX', domain) === 'premium' ? 'premium' : null;
    });
  const isManual = scope.config.registrarLive === 'manual';
  const registrars = {
    SANDBOX: sandbox('SANDBOX'),
    LIVE: isManual ? sandbox('LIVE') : connectRegistry(scope, transferRulesOf, registrantOf),
  };
  return (environment) => registrars[environment];
}

/** Idle time before a session says hello: registries close sessions idle for ten minutes, some for five. */
const KEEP_ALIVE_MS = 4 * MINUTE;

/** The back-off between attempts to open a session; a job that gets no session is retried later. */
const RECONNECT = { firstMs: 250, maxMs: 4_000, attempts: 4 };

/** Creates the registrar for the configured registry. Sessions are opened on demand. */
function connectRegistry(
  scope: Scope,
  transferRulesOf: TransferRulesOf,
  registrantOf: RegistrantOfPush,
): Registrar {
  const { config, log } = scope;
  const optional = (pem: string) => (pem === '' ? undefined : pemOf(pem));
  const sessions = new EppSessions(
    {
      endpoint: {
        host: config.eppHost,
        port: config.eppPort,
        ca: optional(config.eppCa),
        certificate: optional(config.eppCertificate),
        key: optional(config.eppKey),
      },
      clientId: config.eppClientId,
      password: config.eppPassword,
      newPassword: config.eppNewPassword || undefined,
      maxSessions: config.eppSessions,
      keepAliveMs: KEEP_ALIVE_MS,
      timeouts: { connectMs: config.eppAnswerMs, answerMs: config.eppAnswerMs },
      reconnect: RECONNECT,
      noticed: (event) => {
        const kept = keepLoginEvent({ ...scope, registry: config.eppClientId }, event);
        kept.catch((error: unknown) => log.error({ err: error }, 'a login warning was not kept'));
      },
    },
    log,
  );
  scope.beforeStop(() => sessions.close());
  const client = new EppClient(sessions, config.eppClientId);
  return createEppRegistrar({
    ...scope,
    client,
    transferRulesOf,
    registrantOf,
    clientId: config.eppClientId,
  });
}

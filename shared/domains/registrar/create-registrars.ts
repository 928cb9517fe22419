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

/** Chosen by the domain's name; anything that is not about the registrar counts as nothing. */
export type OutcomeOfName = (environment: Environment, domain: string) => string | null;

interface Scope {
  db: Database;
  clock: Clock;
  config: Config;
  log: Logger;
  secrets: SecretBox;
  /** Has `release` called when the process stops. */
  beforeStop(release: () => Promise<void>): void;
}

/**
 * The registrars of both environments. Where people move LIVE domains, the sandbox's registrar takes the place of
 * one, which moves no domain.
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
      // Owners' domains are LIVE ones, also where that is played.
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

/** Idle sessions say hello after this: registries close those of ten minutes, some of five. */
const KEEP_ALIVE_MS = 4 * MINUTE;

/** Waits between attempts to open a session; a job that still gets none tries again later. */
const RECONNECT = { firstMs: 250, maxMs: 4_000, attempts: 4 };

/** The registrar that we are at the registry of the configuration. Sessions are opened when they are needed. */
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

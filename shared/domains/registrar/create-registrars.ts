import type { Database } from '../../delivery/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Registrars } from './registrar.ts';
import { createSandboxRegistrar } from './sandbox-registrar.ts';

/** Chosen by the domain's name; anything that is not about the registrar counts as nothing. */
export type OutcomeOfName = (environment: Environment, domain: string) => string | null;

/**
 * The registrars of both environments. There is no adapter for a real registrar yet: LIVE is served by
 * the sandbox one too, which moves no domain.
 */
export function createRegistrars(
  scope: { db: Database; clock: Clock; config: Config; log: Logger },
  outcomeOf: OutcomeOfName,
): Registrars {
  if (scope.config.nodeEnv === 'production') {
    scope.log.warn('LIVE transfers go to the sandbox registrar, which moves no domain');
  }
  const of = (environment: Environment) =>
    createSandboxRegistrar(scope, (domain) => {
      const outcome = outcomeOf(environment, domain);
      return outcome === 'slow_transfer' || outcome === 'fail_transfer' ? outcome : null;
    });
  const registrars = { SANDBOX: of('SANDBOX'), LIVE: of('LIVE') };
  return (environment) => registrars[environment];
}

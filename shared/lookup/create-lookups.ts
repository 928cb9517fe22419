import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import { fail } from '../platform/errors.ts';
import type { AskRegistry } from './ask-registry.ts';
import { createDemoRegistry } from './demo-registry.ts';
import type { Lookups } from './lookup.ts';

/** The lookups of a process, over the registries that the configuration names. */
export function createLookups(deps: { config: Config; db: Database; clock: Clock }): Lookups {
  const { config, clock } = deps;
  const nobody: AskRegistry = async () => ({ kind: 'unavailable', retryAfterSeconds: 30 });
  const ask = config.lookupRegistries === 'network' ? nobody : createDemoRegistry(deps, nobody);
  const stop = new AbortController();

  const find: Lookups['find'] = async (domain) => {
    const finding = await ask(domain, stop.signal);
    if (finding.kind === 'unsupported') throw fail('not_found');
    if (finding.kind === 'unavailable') {
      throw fail('service_unavailable', { retryAfterSeconds: finding.retryAfterSeconds });
    }
    return { ...finding.record, fetchedAt: clock.now(), cached: false };
  };
  return {
    find,
    async registration(domain) {
      const answer = await find(domain).catch(() => undefined);
      if (!answer) return 'unknown';
      return answer.registered ? 'registered' : 'available';
    },
    close: () => stop.abort(),
  };
}

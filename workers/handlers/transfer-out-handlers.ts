import { recordFacts } from '../../shared/domains/owned-domains/manage-owned-domains.ts';
import { OWNERS_ENVIRONMENT } from '../../shared/domains/owned-domains/owned-domain.ts';
import { lookAfterCode, type Sighting } from '../../shared/domains/registrar/look-after-code.ts';
import type { DomainFacts, Registrar } from '../../shared/domains/registrar/registrar.ts';
import {
  readWatchedCode,
  recordSighting,
  type WatchedCode,
} from '../../shared/domains/transfers-out/follow-transfer-out.ts';
import {
  type OutCode,
  watchTransferOutJob,
} from '../../shared/domains/transfers-out/transfer-out.jobs.ts';
import { addMs, HOUR } from '../../shared/platform/clock.ts';
import {
  done,
  handle,
  isFinalAttempt,
  type JobContext,
  type Outcome,
  snooze,
} from '../runtime/job-handler.ts';
import { answerOf, nextLookAt } from './ask-registrar.ts';

/**
 * Watches a domain whose owner has its authorization code until another registrar has it or the code ends. If the owner
 * stopped the transfer, it is rejected, its code revoked, and the domain locked.
 */
export const watchTransferOutHandler = handle(watchTransferOutJob, watchTransferOut);

async function watchTransferOut(context: JobContext, ticket: OutCode): Promise<Outcome> {
  const { runtime, job } = context;
  const { clock, db } = runtime;
  const watched = await readWatchedCode(runtime, ticket, clock.now());
  if (!watched) return done();
  const registrar = runtime.registrars(OWNERS_ENVIRONMENT);
  const asked = await answerOf(context, look(registrar, watched), async () => {});
  if ('silence' in asked) {
    // As long as a code is out, the domain must be watched.
    return isFinalAttempt(context) ? snooze(addMs(clock.now(), HOUR)) : asked.silence;
  }
  const { sighting, facts } = asked.answer;
  const isEnd = sighting.found === 'fetched' || sighting.found === 'cleared';
  await db.transact(async (uow) => {
    await recordSighting(uow, watched, sighting);
    await recordFacts(uow, facts);
    if (isEnd) uow.jobs.finish(job);
  });
  if (isEnd) return done();
  const since = sighting.found === 'approved' ? clock.now() : watched.out.since;
  return snooze(nextLookAt(runtime, { since, endsAt: watched.code.endsAt }));
}

async function look(
  registrar: Registrar,
  { out: { id, domain, status }, code }: WatchedCode,
): Promise<{ sighting: Sighting; facts: DomainFacts[] }> {
  const sighting = await lookAfterCode(registrar, code);
  if (sighting.found !== 'cleared' || status !== 'stopping') return { sighting, facts: [] };
  const change = { kind: 'lock', enabled: true } as const;
  const locked = await registrar.change({ clientReference: `${id}-lock`, domain, change });
  return { sighting, facts: locked.status === 'done' ? [locked.facts] : [] };
}

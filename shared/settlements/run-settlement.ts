import { recordAudit } from '../audit/record-audit.ts';
import { enqueue } from '../outbox/enqueue.ts';
import type { Environment } from '../platform/config.ts';
import { fail, invalid } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Runtime } from '../runtime.ts';
import { parseMonth } from './periods.ts';
import { startRunJob } from './settlement.jobs.ts';
import { insertRun, partnerExists } from './settlement-run.store.ts';
import type { SettlementRun } from './settlement-run.ts';

export interface RunRequest {
  environment: Environment;
  /** A month, `2026-11`; exactly one of this and `until`. */
  period?: string | undefined;
  until?: Date | undefined;
  /** Only this partner. */
  partnerId?: string | undefined;
}

/**
 * Asks for periods to be closed; the worker fleet does it. A month that is over is closed at the ends of
 * the partners' own periods in it, a running one up to now, `until` up to that instant.
 * @throws validation_error for an unreadable or future period or instant, or both or none of them;
 *   not_found for an unknown partner
 */
export async function requestSettlementRun(
  { db, clock }: Pick<Runtime, 'db' | 'clock'>,
  actor: string,
  request: RunRequest,
): Promise<SettlementRun> {
  const now = clock.now();
  const run: SettlementRun = {
    id: newId('settlementRun', now),
    environment: request.environment,
    period: request.period ?? null,
    until: requestedCutoff(request, now),
    partnerId: request.partnerId ?? null,
    requestedBy: actor,
    status: 'queued',
    createdAt: now,
    finishedAt: null,
  };
  await db.transact(async (tx) => {
    if (run.partnerId !== null && !(await partnerExists(tx, run.partnerId))) {
      throw fail('not_found', { message: 'No partner has this id.' });
    }
    await insertRun(tx, run);
    await enqueue(tx, [startRunJob({ runId: run.id }, now)], now);
    const after = {
      environment: run.environment,
      period: run.period,
      until: run.until.toISOString(),
      partner: run.partnerId,
    };
    await recordAudit(tx, { actor, action: 'settlement:run', subject: run.id, after }, now);
  });
  return run;
}

/** The instant a request comes to: fixed now, so that a late worker closes what was meant. */
function requestedCutoff({ period, until }: RunRequest, now: Date): Date {
  if ((period === undefined) === (until === undefined)) {
    throw invalid([{ path: '/period', message: 'or until is required, and not both' }]);
  }
  if (until !== undefined) {
    if (Number.isNaN(until.getTime())) {
      throw invalid([{ path: '/until', message: 'must be a date-time' }]);
    }
    if (until > now) throw invalid([{ path: '/until', message: 'must not be in the future' }]);
    return until;
  }
  const month = parseMonth(period ?? '');
  if (!month) throw invalid([{ path: '/period', message: 'must be a month such as 2026-11' }]);
  if (month.start > now) {
    throw invalid([{ path: '/period', message: 'must not be in the future' }]);
  }
  return month.end < now ? month.end : now;
}

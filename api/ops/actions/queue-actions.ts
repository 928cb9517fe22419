import { Type } from 'typebox';
import { listDeadJobs, retryDeadJob } from '../../../shared/delivery/jobs/dead-jobs.ts';
import { withAuditTrail } from '../../../shared/people/audit/audit-log.ts';
import { SECOND } from '../../../shared/platform/clock.ts';
import { opsAction } from '../ops-action.ts';

export const queueStatusAction = opsAction({
  name: 'queue:status',
  summary: 'Count what waits in the queues and in the outbox',
  input: Type.Object({}),
  redis: 'asks',
  async run(context) {
    const { figures } = context;
    const [queues, backlog] = await Promise.all([figures.queues(SECOND), figures.backlog(SECOND)]);
    return {
      queues: queues.map(({ queue, counts, oldestWaitingMs }) => ({
        queue,
        counts,
        oldest_waiting_ms: oldestWaitingMs,
      })),
      outbox: {
        backlog: backlog
          .filter(({ state }) => state === 'pending')
          .reduce((sum, { count }) => sum + count, 0),
        by_queue: backlog.map(({ queue, state, count, oldestMs }) => ({
          queue,
          state,
          count,
          oldest_ms: oldestMs,
        })),
      },
    };
  },
});

export const queueDead = opsAction({
  name: 'queue:dead',
  summary: 'List the jobs that were given up, and why, the newest first',
  columns: ['job', 'queue', 'name', 'reason'],
  input: Type.Object({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, description: 'At most so many (100).' }),
    ),
  }),
  async run(context, { limit }) {
    const jobs = await listDeadJobs(context, limit ?? 100);
    return {
      jobs: jobs.map(({ id, queue, name, attempts, reason, createdAt }) => ({
        job: id,
        queue,
        name,
        attempts,
        reason,
        created_at: createdAt.toISOString(),
      })),
    };
  },
});

export const queueRetry = opsAction({
  name: 'queue:retry',
  summary: 'Run a job again that was given up',
  input: Type.Object({
    job: Type.String({
      pattern: '^[1-9][0-9]{0,14}$',
      description: 'Number of the job, as queue:dead lists it.',
    }),
  }),
  async run(context, { job }) {
    const entry = { actor: context.actor, action: 'queue:retry', subject: job };
    const db = withAuditTrail(context, { ...entry, snapshot: async () => null });
    await retryDeadJob({ ...context, db }, Number(job));
    return { job: Number(job), state: 'pending' };
  },
});

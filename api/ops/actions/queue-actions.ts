import { Type } from 'typebox';
import { listDeadJobs, retryDeadJob } from '../../../shared/messaging/jobs/dead-jobs.ts';
import { withAuditTrail } from '../../../shared/people/audit/audit-log.ts';
import { SECOND } from '../../../shared/platform/clock.ts';
import { JOB_NUMBER } from '../../../shared/platform/json-schema.ts';
import {
  DANGEROUS,
  DEFAULT_LIMIT,
  EVERYONE,
  HARMLESS,
  limitField,
  OPERATIONS,
  opsAction,
  route,
} from '../ops-action.ts';

const queueStatusAction = opsAction({
  name: 'queue:status',
  summary: 'Count the jobs in the queues and the outbox, and the webhooks due',
  input: Type.Object({}),
  redis: 'requires',
  columns: ['queue', 'counts.waiting', 'counts.active', 'counts.delayed', 'counts.failed'],
  async run(context) {
    const { figures } = context;
    const [queues, backlog, deliveries] = await Promise.all([
      figures.queues(SECOND),
      figures.backlog(SECOND),
      figures.deliveries(SECOND),
    ]);
    const now = context.clock.now().getTime();
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
      deliveries: deliveries.map(({ class: endpointClass, endpoints, due, oldestDue }) => ({
        class: endpointClass,
        endpoints,
        due,
        oldest_ms: oldestDue === null ? null : Math.max(0, now - oldestDue.getTime()),
      })),
    };
  },
});

const queueDead = opsAction({
  name: 'queue:dead',
  summary: 'List the dead jobs and why they failed, newest first',
  columns: ['job', 'queue', 'name', 'reason'],
  input: Type.Object({
    limit: limitField(1_000),
  }),
  async run(context, { limit = DEFAULT_LIMIT }) {
    const jobs = await listDeadJobs(context, limit);
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

const queueRetry = opsAction({
  name: 'queue:retry',
  summary: 'Run a dead job again',
  input: Type.Object({
    job: Type.String({
      pattern: JOB_NUMBER,
      description: 'Job number from queue:dead.',
    }),
  }),
  async run(context, { job }) {
    const entry = { actor: context.actor, action: 'queue:retry', subject: job };
    const db = withAuditTrail(context, entry);
    await retryDeadJob({ ...context, db }, Number(job));
    return { job: Number(job), state: 'pending' };
  },
});

export const queueRoutes = [
  route('GET', '/queues', 200, queueStatusAction, EVERYONE, HARMLESS),
  route('GET', '/queues/dead', 200, queueDead, EVERYONE, HARMLESS),
  route('POST', '/queues/dead/:job/retry', 202, queueRetry, OPERATIONS, DANGEROUS),
];

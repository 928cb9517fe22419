import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkJob } from '../../shared/domains/bulk/bulk-job.ts';
import { readBulkJob } from '../../shared/domains/bulk/bulk-job-lifecycle.ts';
import { MINUTE, SECOND } from '../../shared/platform/clock.ts';
import { fail, ServiceError } from '../../shared/platform/errors.ts';
import type { ApiServices } from '../compose-api.ts';
import { reply } from '../http/reply.ts';
import { BulkProgress, JobParams, progressView } from './bulk-routes.ts';
import { userOf } from './public-caller.ts';
import { publicRoute } from './public-route.ts';

const EVENT_STREAM = 'text/event-stream';

/** `GET /domains/bulk/jobs/{id}/stream`: streams progress as server-sent events until the job is finished. */
export const streamBulkJobRoute = publicRoute({
  method: 'GET',
  path: '/domains/bulk/jobs/:id/stream',
  operationId: 'streamBulkJob',
  summary: 'Follow a bulk job as server-sent events.',
  description:
    'You get an immediate JSON response only if `Accept` includes `application/json` and no event stream.',
  limit: 'reads',
  scope: 'domains:manage',
  params: JobParams,
  responses: { 200: BulkProgress },
  alternatives: [EVENT_STREAM],
  errors: ['not_found'],
  async handler(context, { caller, params: { id }, accept }) {
    const job = await readBulkJob(context, userOf(caller), id);
    if (accept.includes('application/json') && !accept.includes(EVENT_STREAM)) {
      return reply(200, progressView(job));
    }
    return {
      status: 200,
      live: {
        contentType: EVENT_STREAM,
        chunks: (signal) => progressEvents(context, job, signal),
      },
    };
  },
});

/** The maximum length of a stream. The access token may have been revoked meanwhile; reconnecting checks it again. */
const LONGEST_MS = 10 * MINUTE;
const RECONNECT_MS = 2 * SECOND;

/** How many streams each user has open in this process. */
const openStreams = new Map<string, number>();

/**
 * Streams the progress of a job as server-sent events: the current state, each new state, and the last one as `done`.
 * Each event holds the whole state, so readers can miss events.
 * @throws rate_limited when the user has too many streams open
 */
export function progressEvents(
  runtime: ApiServices,
  job: BulkJob,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const others = openStreams.get(job.userId) ?? 0;
  if (others >= runtime.config.bulkStreams) {
    throw fail('rate_limited', {
      message: `You have ${others} progress streams open. Close one of them first.`,
      retryAfterSeconds: 1,
    });
  }
  openStreams.set(job.userId, others + 1);
  return follow(runtime, job, signal);
}

async function* follow(runtime: ApiServices, job: BulkJob, signal: AbortSignal) {
  const { bulkStreamPollMs: pollMs, bulkStreamHeartbeatMs: heartbeatMs } = runtime.config;
  const end = performance.now() + LONGEST_MS;
  let told = '';
  let toldAt = 0;
  try {
    yield `retry: ${RECONNECT_MS}\n\n`;
    while (!signal.aborted && performance.now() < end) {
      const now = await pollJob(runtime, job);
      if (now === 'gone') return;
      const event = now && eventOf(now);
      if (event && event !== told) {
        yield event;
        if (now.finishedAt !== null) return;
        told = event;
        toldAt = performance.now();
      } else if (performance.now() - toldAt >= heartbeatMs) {
        yield ': still there\n\n';
        toldAt = performance.now();
      }
      await sleep(pollMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    const left = (openStreams.get(job.userId) ?? 1) - 1;
    if (left > 0) openStreams.set(job.userId, left);
    else openStreams.delete(job.userId);
  }
}

/** Reads the job's current state; undefined if it cannot be read at the moment. */
async function pollJob(runtime: ApiServices, job: BulkJob): Promise<BulkJob | 'gone' | undefined> {
  try {
    return await readBulkJob(runtime, job.userId, job.id);
  } catch (error) {
    if (error instanceof ServiceError) return 'gone';
    runtime.log.debug({ err: error }, 'progress stream');
    return undefined;
  }
}

function eventOf(job: BulkJob): string {
  const kind = job.finishedAt === null ? 'progress' : 'done';
  const data = JSON.stringify(progressView(job));
  return `event: ${kind}\nid: ${job.succeeded + job.failed}\ndata: ${data}\n\n`;
}

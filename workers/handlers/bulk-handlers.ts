import pMap from 'p-map';
import { type Chunk, runChunkJob } from '../../shared/domains/bulk/bulk.jobs.ts';
import { errorResult, type ItemResult, okResult } from '../../shared/domains/bulk/bulk-job.ts';
import { registrarChange } from '../../shared/domains/bulk/bulk-operations.ts';
import {
  findChunkJob,
  recordResults,
  runLocalChunk,
  type StartedChunk,
  startRegistrarChunk,
} from '../../shared/domains/bulk/process-chunk.ts';
import { OWNERS_ENVIRONMENT } from '../../shared/domains/owned-domains/owned-domain.ts';
import {
  BEING_RELEASED,
  type DomainChange,
  type DomainFacts,
} from '../../shared/domains/registrar/registrar.ts';
import { orAbort } from '../../shared/platform/concurrency/deadline.ts';
import { transientDatabaseError } from '../../shared/platform/database/database-errors.ts';
import {
  done,
  handle,
  isFinalAttempt,
  type JobContext,
  type Outcome,
  retry,
} from '../runtime/job-handler.ts';

/**
 * Runs one chunk of a bulk operation. Any number of runs, interrupted anywhere, change each domain once: the registrar
 * identifies each change by its reference, and changes to our own data share one transaction with their results.
 */
export const runChunkHandler = handle(runChunkJob, runChunk);

async function runChunk(context: JobContext, chunk: Chunk): Promise<Outcome> {
  const { runtime } = context;
  const job = await findChunkJob(runtime, chunk);
  if (!job) return done();
  const change = registrarChange(job.action);
  if (job.dryRun || !change) {
    await runLocalChunk(runtime, job, chunk, context.job);
    return done();
  }
  const started = await startRegistrarChunk(runtime, job, chunk);
  const { results, facts, unanswered, reason } = await askRegistrar(context, {
    jobId: job.id,
    change,
    calls: started.calls,
  });
  const over = unanswered.length === 0 || isFinalAttempt(context);
  const lost = over ? unanswered : [];
  await runtime.db.transact(async (uow) => {
    const told = { results: [...started.refused, ...results, ...lost], facts };
    if (over) uow.jobs.finish(context.job);
    await recordResults(uow, job.id, told);
  });
  if (over) return done();
  return retry(`${unanswered.length} domains are left: ${reason}`);
}

const NO_ANSWER = {
  code: 'service_unavailable',
  message: 'The registrar did not answer. Check whether the change was made before you repeat it.',
} as const;

interface Answers {
  results: ItemResult[];
  facts: DomainFacts[];
  /** The results to record for domains that need another attempt, if there is none. */
  unanswered: ItemResult[];
  /** Why one of them needs another attempt. */
  reason: string;
}

/** Sends the changes to the registrar, several at once; those without an answer at the deadline are left for later. */
async function askRegistrar(
  { runtime, signal }: JobContext,
  work: { jobId: string; change: DomainChange; calls: StartedChunk['calls'] },
): Promise<Answers> {
  const registrar = runtime.registrars(OWNERS_ENVIRONMENT);
  const answers: Answers = { results: [], facts: [], unanswered: [], reason: '' };
  await pMap(
    work.calls,
    async ({ position, domain }) => {
      try {
        signal.throwIfAborted();
        const clientReference = `${work.jobId}:${position}`;
        const asked = registrar.change({ clientReference, domain, change: work.change });
        const answer = await orAbort(asked, signal);
        if (answer.status === 'refused') {
          const refused = errorResult(position, { code: 'conflict', message: answer.reason });
          const isToPass = answer.reason === BEING_RELEASED.reason;
          (isToPass ? answers.unanswered : answers.results).push(refused);
          if (isToPass) answers.reason = answer.reason;
        } else {
          answers.results.push(okResult(position));
          answers.facts.push(answer.facts);
        }
      } catch (error) {
        // The sandbox's registrar is in our own database.
        if (transientDatabaseError(error)?.jobsWaitItOut) throw error;
        answers.unanswered.push(errorResult(position, NO_ANSWER));
        answers.reason = (error as Error).message;
      }
    },
    { concurrency: runtime.config.bulkParallelCalls },
  );
  return answers;
}

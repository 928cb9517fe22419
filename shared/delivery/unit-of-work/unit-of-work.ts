import { addMs } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database/postgres.ts';
import { newId } from '../../platform/ids.ts';
import type { NewDocument } from '../documents/document.ts';
import { recordDocuments } from '../documents/record-documents.ts';
import type { NewEvent, Stream } from '../event-types/event.ts';
import type { OnEventFault } from '../event-types/event-schema.ts';
import { holdStream, recordEvents } from '../events/record-events.ts';
import { type Job, type JobReference, type JobRequest, RELAY } from '../jobs/job.ts';
import { finishJob, recordJobs } from '../jobs/record-jobs.ts';
import type { Mail, MailOwner, MailRecipient, MailRequest } from '../mail/mail.ts';
import { type MailPolicy, recordMails } from '../mail/record-mails.ts';
import { type Answer, type KeyScope, updateAnswer } from './idempotency.store.ts';
import { readAhead, type TimeOwner } from './partner-time.ts';

/**
 * One transaction and what leaves it. Functions that take a unit of work add to it in any order. Before the commit
 * it marks the job done that it is the work of, then writes mails and new jobs, the stored answer, the documents, and
 * the events; after the commit it wakes the relay. Documents and events come last because they lock their series of
 * numbers and the history of their partner: for a few statements and the commit, and several always in one order.
 */
export interface UnitOfWork {
  /** Runs statements in the transaction. Whoever is given it neither commits nor talks to the network. */
  readonly sql: Tx;
  /**
   * The instant of what the unit writes about a partner's business: ahead of real time by as much as the partner
   * whose time it is in has moved the clock of its sandbox. Read it after {@link enterTimeOf}.
   */
  readonly now: Date;
  /** The instant by the machine's clock: for jobs, retries, audit, payments, and what partners share. */
  readonly realNow: Date;
  /** How far `now` is ahead of `realNow`, in milliseconds. */
  readonly aheadMs: number;
  /** Puts the unit in the time of whoever owns the row that it has just locked. Commands that lock call it. */
  enterTimeOf(owner: TimeOwner): Promise<void>;
  readonly events: {
    /** Appends to a partner's history, after what was added before, and schedules the deliveries. */
    add(stream: Stream, ...events: readonly NewEvent[]): void;
    /** Locks a partner's history from now until the commit, as an event of it does: for what must not meet one. */
    hold(stream: Stream): Promise<void>;
    /**
     * When the histories began to be locked, by `performance.now()`: they stay so until the commit. Undefined
     * before, and when none is.
     */
    readonly lockedAt: number | undefined;
  };
  readonly documents: {
    /** Issues a document: it gets the next number of its series. Returns its id. */
    add(document: NewDocument): string;
  };
  readonly jobs: {
    /**
     * Asks for work that is done if and only if the unit commits: at once, or from `runAt` on, which is in the time
     * of `now`. `dedupeKey` is for jobs whose definition has none.
     */
    add<P>(job: Job<P>, payload: P, options?: { runAt?: Date; dedupeKey?: string }): void;
    /**
     * Marks the job that this is the work of done, in the same commit as its result; with its `key` another job may
     * then be asked for under it.
     * @throws AlreadyFinished, before the commit, when it was done elsewhere meanwhile
     */
    finish(job: JobReference, key?: string): void;
  };
  readonly mails: {
    /**
     * Asks for a mail that is sent if and only if the unit commits, once for each recipient and cause. `of` is the
     * partner whose business it is; `documents` are the ids of documents to attach.
     */
    add<D>(
      mail: Mail<D>,
      request: { to: MailRecipient; of: MailOwner | null; data: D; documents?: readonly string[] },
    ): void;
  };
  /** Keeps the answer to a request under its Idempotency-Key, for its repetitions. */
  answer(scope: KeyScope, answer: Answer): void;
  /** Wakes the relay after the commit, for what an update made due. Jobs and events do so by themselves. */
  wakeRelay(): void;
  /** Wakes more after the commit: the delivery jobs of endpoints, by the endpoints' ids. */
  wake(topics: Iterable<string>): void;
}

/**
 * A unit of work in the transaction `sql`, and how what was added to it is written. `onEventFault` decides about
 * events that their schema refuses.
 */
export function openUnitOfWork(
  sql: Tx,
  realNow: Date,
  mailPolicy: MailPolicy,
  onEventFault?: OnEventFault,
  begin: { owner: TimeOwner | null; aheadMs: number } = { owner: null, aheadMs: 0 },
): {
  unit: UnitOfWork;
  /** Writes all that was added, once; tells who is to be woken after the commit. */
  write(): Promise<{ wakes: ReadonlySet<string> }>;
} {
  const jobs: JobRequest[] = [];
  const finished: (JobReference & { key?: string | undefined })[] = [];
  const mails: MailRequest[] = [];
  const answers: { scope: KeyScope; answer: Answer }[] = [];
  const documents: (NewDocument & { id: string; at: Date | null })[] = [];
  const histories = new Map<string, { stream: Stream; events: NewEvent[]; at: Date | null }>();
  let { owner, aheadMs } = begin;
  let now = addMs(realNow, aheadMs);
  let lockedAt: number | undefined;
  const wakes = new Set<string>();
  let written = false;
  const isOwner = (of: TimeOwner) =>
    owner?.partnerId === of.partnerId && owner.environment === of.environment;
  /** Now for an owner; null when that is still to be read, because the unit is in the time of somebody else. */
  const nowOf = (of: TimeOwner) => (isOwner(of) ? now : null);
  const readNow = async (of: TimeOwner) => addMs(realNow, await readAhead(sql, of));
  const assertOpen = () => {
    if (written) throw new Error('this unit of work has been written');
  };

  const unit: UnitOfWork = {
    sql,
    get now() {
      return now;
    },
    realNow,
    get aheadMs() {
      return aheadMs;
    },
    async enterTimeOf({ partnerId, environment }) {
      if (isOwner({ partnerId, environment })) return;
      owner = { partnerId, environment };
      aheadMs = await readAhead(sql, owner);
      now = addMs(realNow, aheadMs);
    },
    events: {
      add({ partnerId, environment }, ...events) {
        assertOpen();
        if (events.length === 0) return;
        const key = `${partnerId} ${environment}`;
        const stream = { partnerId, environment };
        const history = histories.get(key) ?? { stream, events: [], at: nowOf(stream) };
        history.events.push(...events);
        histories.set(key, history);
      },
      async hold(stream) {
        lockedAt ??= performance.now();
        await holdStream(sql, stream);
      },
      get lockedAt() {
        return lockedAt;
      },
    },
    documents: {
      add(document) {
        assertOpen();
        const id = newId('document', now);
        documents.push({ ...document, id, at: nowOf(document) });
        return id;
      },
    },
    jobs: {
      add(job, payload, { runAt = now, dedupeKey = job.dedupeKey?.(payload) ?? null } = {}) {
        assertOpen();
        const { queue, name } = job;
        jobs.push({ queue, name, payload, runAt: addMs(runAt, -aheadMs), dedupeKey });
      },
      finish(job, key) {
        assertOpen();
        finished.push({ ...job, key });
      },
    },
    mails: {
      add({ kind, audience, topic, cause }, { to, of, data, documents = [] }) {
        assertOpen();
        const owner = of && { partnerId: of.partnerId, environment: of.environment };
        mails.push({ kind, audience, topic, cause: cause(data), to, of: owner, data, documents });
      },
    },
    answer(scope, answer) {
      assertOpen();
      answers.push({ scope, answer });
    },
    wakeRelay() {
      wakes.add(RELAY);
    },
    wake(topics) {
      for (const topic of topics) wakes.add(topic);
    },
  };

  return {
    unit,
    async write() {
      written = true;
      for (const job of finished) await finishJob(sql, job, realNow);
      jobs.push(...(await recordMails(sql, mails, mailPolicy, realNow)));
      if (jobs.length > 0) {
        await recordJobs(sql, jobs, realNow);
        wakes.add(RELAY);
      }
      for (const { scope, answer } of answers) {
        await updateAnswer.run(sql, { ...scope, status: answer.status, body: answer.body });
      }
      const issued = [];
      for (const { at, ...document } of documents) {
        issued.push({ ...document, issuedAt: at ?? (await readNow(document)) });
      }
      if (issued.length > 0) await recordDocuments(sql, issued);
      if (histories.size > 0) lockedAt ??= performance.now();
      const inOrder = [...histories].sort(([one], [other]) => (one < other ? -1 : 1));
      for (const [, { stream, events, at }] of inOrder) {
        const told = at ?? (await readNow(stream));
        unit.wake(await recordEvents(sql, stream, events, told, onEventFault, realNow));
      }
      return { wakes };
    },
  };
}

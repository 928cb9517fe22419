import { addMs, type Clock } from '../../platform/clock.ts';
import type { Pipeline } from '../../platform/database/pipeline.ts';
import type { Postgres, Tx } from '../../platform/database/postgres.ts';
import { newId } from '../../platform/ids.ts';
import type { NewDocument } from '../documents/document.ts';
import { recordDocuments } from '../documents/record-documents.ts';
import type { NewEvent, Stream } from '../event-types/event.ts';
import type { OnEventFault } from '../event-types/event-schema.ts';
import { holdStream, recordEvents } from '../events/record-events.ts';
import { type Job, type JobRequest, RELAY, type RunningJob } from '../jobs/job.ts';
import { asFailureOfJob, finishJob, recordJobs } from '../jobs/record-jobs.ts';
import type { Mail, MailOwner, MailRecipient, MailRequest } from '../mail/mail.ts';
import { type MailPolicy, recordMails } from '../mail/record-mails.ts';
import type { Database } from './database.ts';
import { type Answer, type KeyScope, updateAnswer } from './idempotency.store.ts';
import { readAhead, type TimeOwner } from './partner-time.ts';

/**
 * One transaction and its output. Functions that take a unit of work add to it in any order. Before the commit it
 * marks its own job as done, then writes mails and new jobs, the stored response, the documents, and the events; after
 * the commit it wakes the relay. Documents and events come last because they lock their number series and their
 * partner's history, so that each lock lasts only a few statements and the commit. Locks are taken in a fixed order.
 */
export interface UnitOfWork {
  /** Runs statements in the transaction. Functions that take it neither commit nor call the network. */
  readonly sql: Tx;
  /** Sends statements of the transaction without waiting for them, when their results are not needed. */
  readonly pipeline: Pipeline;
  /**
   * The time for writes about a partner's business: ahead of real time by as much as that partner has moved its
   * sandbox clock. Read it after {@link enterTimeOf}.
   */
  readonly now: Date;
  /** The time of the machine's clock: for jobs, retries, audit, payments, and data that partners share. */
  readonly realNow: Date;
  /** How far `now` is ahead of `realNow`, in milliseconds. */
  readonly aheadMs: number;
  /**
   * Switches `now` to the clock of the owner of the row just locked. Commands that lock a row call it, with `aheadMs`
   * if they have already read how far that clock is ahead.
   */
  enterTimeOf(owner: TimeOwner, aheadMs?: number): Promise<void>;
  readonly events: {
    /** Appends events to a partner's history, after those added before, and schedules their deliveries. */
    add(stream: Stream, ...events: readonly NewEvent[]): void;
    /** Locks a partner's history until the commit, as an event does, so that no event is appended meanwhile. */
    hold(stream: Stream): Promise<void>;
    /**
     * When the first history was locked, by `performance.now()`; the locks last until the commit. Undefined while no
     * history is locked.
     */
    readonly lockedAt: number | undefined;
  };
  readonly documents: {
    /** Issues a document, which gets the next number of its series. Returns the document's id. */
    add(document: NewDocument): string;
  };
  readonly jobs: {
    /**
     * Adds a job that runs if and only if the unit commits: at once, or from `runAt` on, which is in the time of
     * `now`. `dedupeKey` is for jobs whose definition has none.
     */
    add<P>(job: Job<P>, payload: P, options?: { runAt?: Date; dedupeKey?: string }): void;
    /**
     * Marks the unit's own job as done, in the same commit as its result. `key` releases the job's key, so that
     * another job can be added under it.
     * @throws AlreadyFinished, and commits nothing, if the job was finished elsewhere meanwhile
     */
    finish(job: RunningJob, key?: string): void;
  };
  readonly mails: {
    /**
     * Adds a mail that is sent if and only if the unit commits, once for each recipient and cause. `of` is the
     * partner that the mail concerns; `documents` are the ids of documents to attach.
     */
    add<D>(
      mail: Mail<D>,
      request: { to: MailRecipient; of: MailOwner | null; data: D; documents?: readonly string[] },
    ): void;
  };
  /** Stores the response to a request under its Idempotency-Key, to replay it for repeated requests. */
  answer(scope: KeyScope, answer: Answer): void;
  /** Wakes the relay after the commit, for jobs that an update made due. New jobs and events wake it by themselves. */
  wakeRelay(): void;
  /** Wakes other topics after the commit: delivery jobs, by the ids of their endpoints. */
  wake(topics: Iterable<string>): void;
}

/** The result of a unit of work, and what to do after its commit. */
interface Written<T> {
  result: T;
  wakes: ReadonlySet<string>;
  finished: readonly RunningJob[];
}

/**
 * Creates the database of a process. `mailPolicy` decides which mails its units of work write. `onEventFault` handles
 * events that violate their schema; without it, they throw.
 */
export function createDatabase(
  postgres: Postgres,
  clock: Clock,
  mailPolicy: MailPolicy,
  onEventFault?: OnEventFault,
): Database {
  const { transaction, transactionFor, ...rest } = postgres;
  const committed = <T>({ result, wakes, finished }: Written<T>): T => {
    for (const job of finished) job.isDone = true;
    if (wakes.size > 0) postgres.wakeWorkers(wakes);
    return result;
  };
  const failed = (error: unknown): never => {
    throw asFailureOfJob(error);
  };
  const beginningIn = (time: { owner: TimeOwner; aheadMs: number } | undefined): Database => {
    const inUnit =
      <T>(work: (uow: UnitOfWork) => Promise<T>) =>
      async (_tx: Tx, pipeline: Pipeline) => {
        const unit = new OpenUnitOfWork(pipeline, clock.now(), mailPolicy, onEventFault, time);
        const result = await work(unit);
        return { result, ...(await unit.write()) };
      };
    return {
      ...rest,
      transact: (work) => transaction(inUnit(work)).then(committed, failed),
      transactFor: (whom, work) => transactionFor(whom, inUnit(work)).then(committed, failed),
      inTime: (owner, aheadMs) => beginningIn({ owner, aheadMs }),
    };
  };
  return beginningIn(undefined);
}

/** The owner whose clock dates a document or an event; real time if no partner is involved. */
type DatedFor = Omit<TimeOwner, 'partnerId'> & { partnerId: string | null };

/** An open unit of work; {@link createDatabase} opens it, and calls `write` just before the commit. */
export class OpenUnitOfWork implements UnitOfWork {
  readonly sql: Tx;
  readonly pipeline: Pipeline;
  readonly realNow: Date;
  now: Date;
  aheadMs: number;
  readonly events: AddedEvents;
  readonly #mailPolicy: MailPolicy;
  #owner: TimeOwner | null;
  readonly #jobs: JobRequest[] = [];
  readonly #finished: { job: RunningJob; key?: string | undefined }[] = [];
  readonly #mails: MailRequest[] = [];
  readonly #answers: { scope: KeyScope; answer: Answer }[] = [];
  readonly #documents: (NewDocument & { id: string; at: Date | null })[] = [];
  readonly #wakes = new Set<string>();
  #isWritten = false;

  /** @param onEventFault handles events that violate their schema; without it they throw */
  constructor(
    pipeline: Pipeline,
    realNow: Date,
    mailPolicy: MailPolicy,
    onEventFault?: OnEventFault,
    { owner, aheadMs }: { owner: TimeOwner | null; aheadMs: number } = { owner: null, aheadMs: 0 },
  ) {
    this.sql = pipeline.sql;
    this.pipeline = pipeline;
    this.realNow = realNow;
    this.now = addMs(realNow, aheadMs);
    this.aheadMs = aheadMs;
    this.#mailPolicy = mailPolicy;
    this.#owner = owner;
    this.events = new AddedEvents(this, onEventFault);
  }

  async enterTimeOf({ partnerId, environment }: TimeOwner, aheadMs?: number): Promise<void> {
    if (this.#isOwner({ partnerId, environment })) return;
    this.#owner = { partnerId, environment };
    this.aheadMs = aheadMs ?? (await readAhead(this.sql, this.#owner));
    this.now = addMs(this.realNow, this.aheadMs);
  }

  readonly documents: UnitOfWork['documents'] = {
    add: (document) => {
      this.assertOpen();
      const id = newId('document', this.now);
      this.#documents.push({ ...document, id, at: this.nowOf(document) });
      return id;
    },
  };

  readonly jobs: UnitOfWork['jobs'] = {
    add: (
      job,
      payload,
      { runAt = this.now, dedupeKey = job.dedupeKey?.(payload) ?? null } = {},
    ) => {
      this.assertOpen();
      const { queue, name } = job;
      this.#jobs.push({ queue, name, payload, runAt: addMs(runAt, -this.aheadMs), dedupeKey });
    },
    finish: (job, key) => {
      this.assertOpen();
      this.#finished.push({ job, key });
    },
  };

  readonly mails: UnitOfWork['mails'] = {
    add: ({ kind, audience, topic, cause }, { to, of, data, documents = [] }) => {
      this.assertOpen();
      const owner = of && { partnerId: of.partnerId, environment: of.environment };
      this.#mails.push({
        kind,
        audience,
        topic,
        cause: cause(data),
        to,
        of: owner,
        data,
        documents,
      });
    },
  };

  answer(scope: KeyScope, answer: Answer): void {
    this.assertOpen();
    this.#answers.push({ scope, answer });
  }

  wakeRelay(): void {
    this.#wakes.add(RELAY);
  }

  wake(topics: Iterable<string>): void {
    for (const topic of topics) this.#wakes.add(topic);
  }

  /**
   * Writes everything that was added, once. Returns the jobs that it finishes, and the topics to wake after the commit;
   * `wakes` is complete once the pipeline has settled.
   */
  async write(): Promise<{ wakes: ReadonlySet<string>; finished: readonly RunningJob[] }> {
    this.#isWritten = true;
    for (const { job, key } of this.#finished) {
      await finishJob(this.pipeline, job, key, this.realNow);
    }
    this.#jobs.push(...(await recordMails(this.sql, this.#mails, this.#mailPolicy, this.realNow)));
    if (this.#jobs.length > 0) {
      await recordJobs(this.pipeline, this.#jobs, this.realNow);
      // The relay looks for later ones by itself.
      if (this.#jobs.some(({ runAt }) => runAt <= this.realNow)) this.wakeRelay();
    }
    for (const { scope, answer } of this.#answers) {
      const { status, text } = answer;
      await updateAnswer.send(this.pipeline, { ...scope, status, body: text });
    }
    const issued = [];
    for (const { at, ...document } of this.#documents) {
      issued.push({ ...document, issuedAt: at ?? (await this.readNow(document)) });
    }
    if (issued.length > 0) await recordDocuments(this.sql, issued);
    await this.events.write();
    return { wakes: this.#wakes, finished: this.#finished.map(({ job }) => job) };
  }

  /** Returns an owner's time, or real time for none; null if it must be read, as the unit uses another's clock. */
  nowOf({ partnerId, environment }: DatedFor): Date | null {
    if (partnerId === null) return this.realNow;
    return this.#isOwner({ partnerId, environment }) ? this.now : null;
  }

  async readNow({ partnerId, environment }: DatedFor): Promise<Date> {
    if (partnerId === null) return this.realNow;
    return addMs(this.realNow, await readAhead(this.sql, { partnerId, environment }));
  }

  /** @throws Error if the unit has been written */
  assertOpen(): void {
    if (this.#isWritten) throw new Error('this unit of work has been written');
  }

  #isOwner({ partnerId, environment }: TimeOwner): boolean {
    return this.#owner?.partnerId === partnerId && this.#owner.environment === environment;
  }
}

/** The events of a unit of work, by history. */
class AddedEvents {
  readonly #unit: OpenUnitOfWork;
  readonly #onFault: OnEventFault | undefined;
  readonly #histories = new Map<string, { stream: Stream; events: NewEvent[]; at: Date | null }>();
  lockedAt: number | undefined;

  constructor(unit: OpenUnitOfWork, onFault: OnEventFault | undefined) {
    this.#unit = unit;
    this.#onFault = onFault;
  }

  add({ partnerId, environment }: Stream, ...events: readonly NewEvent[]): void {
    this.#unit.assertOpen();
    if (events.length === 0) return;
    const key = `${partnerId} ${environment}`;
    const stream = { partnerId, environment };
    const history = this.#histories.get(key) ?? {
      stream,
      events: [],
      at: this.#unit.nowOf(stream),
    };
    history.events.push(...events);
    this.#histories.set(key, history);
  }

  async hold(stream: Stream): Promise<void> {
    this.lockedAt ??= performance.now();
    await holdStream(this.#unit.sql, stream);
  }

  async write(): Promise<void> {
    if (this.#histories.size > 0) this.lockedAt ??= performance.now();
    const { pipeline, realNow } = this.#unit;
    const inOrder = [...this.#histories].sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [, { stream, events, at }] of inOrder) {
      const now = at ?? (await this.#unit.readNow(stream));
      const wake = (topics: Iterable<string>) => this.#unit.wake(topics);
      await recordEvents(pipeline, stream, events, { now, realNow }, wake, this.#onFault);
    }
  }
}

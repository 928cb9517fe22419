import { addMs, type Clock, DAY, MINUTE, SECOND } from '../../platform/clock.ts';
import { batchCalls } from '../../platform/concurrency/call-batcher.ts';
import { idRangeAt, randomFraction } from '../../platform/ids.ts';
import type { Database } from '../unit-of-work/database.ts';
import { type DueDelivery, selectDue, selectPendingBefore } from './delivery-work.store.ts';

/** How long deliveries read ahead stay valid, and how often they are read again without a wake-up. */
const [FRESH_MS, AGAIN_MS] = [250, SECOND];
/** The minimum and maximum number of deliveries of each kind that are read for an endpoint. */
const [LEAST, MOST] = [4, 100];
/** The maximum number of endpoints that one statement reads for. */
const READ_BATCH = 100;
/** Deliveries older than RECENT_MS are read only while one is pending, which is checked every ASK_AGAIN_MS. */
const [RECENT_MS, ASK_AGAIN_MS] = [8 * DAY, MINUTE];
/** How far the clocks of processes may differ. */
const SKEW_MS = DAY;

/**
 * Reads an endpoint's due deliveries that are not `known`, up to `most` of each kind: those without an order, oldest
 * first, then the first of each subject after `after`, in a circle.
 */
export type ReadDue = (wanted: {
  endpointId: string;
  most: number;
  after: string;
  known: Iterable<string>;
}) => Promise<readonly DueDelivery[]>;

/** Creates the reader of one process's jobs. What they want at the same moment is read by one statement. */
export function createDueReader({ db, clock }: { db: Database; clock: Clock }): ReadDue {
  /** The lowest id that a pending delivery can have, and when it was last checked. */
  let lowest: { id: string; askedAt: number } | undefined;
  /**
   * Returns the id range of all due deliveries. A delivery written meanwhile by a process whose clock is days behind is
   * included at most a minute later.
   */
  const rangeAt = async (now: Date) => {
    if (!lowest || Math.abs(Number(now) - lowest.askedAt) > ASK_AGAIN_MS) {
      const { first: id } = idRangeAt('webhookDelivery', addMs(now, -RECENT_MS));
      const { found } = await selectPendingBefore.one(db.indexed, { id });
      lowest = { id: found ? '' : id, askedAt: Number(now) };
    }
    return { from: lowest.id, to: idRangeAt('webhookDelivery', addMs(now, SKEW_MS)).last };
  };
  return batchCalls(async (all: readonly Parameters<ReadDue>[0][]) => {
    const now = clock.now();
    const rows = await selectDue.all(db.indexed, {
      endpointIds: all.map(({ endpointId }) => endpointId),
      most: all.map(({ most }) => most),
      after: all.map(({ after }) => after),
      known: all.flatMap(({ known }) => [...known]),
      now,
      ...(await rangeAt(now)),
    });
    const read = all.map((): DueDelivery[] => []);
    for (const { place, ...delivery } of rows) read[place - 1]?.push(delivery);
    return read;
  }, READ_BATCH);
}

const isRetry = ({ attempts }: DueDelivery): boolean => attempts > 0;

/** An endpoint's due deliveries, read slightly ahead. Retries have a fixed share of the turns. */
export class DueDeliveries {
  readonly #read: ReadDue;
  readonly #endpointId: string;
  readonly #retrySharePercent: number;
  /** The ids of deliveries that were taken and have not ended. */
  readonly #taken = new Set<string>();
  #firsts: DueDelivery[] = [];
  #retries: DueDelivery[] = [];
  #readAt = 0;
  /** When a delivery that was not read may become due, in milliseconds since 1970. */
  #nextAt = 0;
  /** For an ordered endpoint: the subject taken last. */
  #after = '';
  /** A retry's turn has come at 100. */
  #turn = 0;

  constructor(read: ReadDue, endpointId: string, retrySharePercent: number) {
    this.#read = read;
    this.#endpointId = endpointId;
    this.#retrySharePercent = retrySharePercent;
  }

  /** Reads again if everything read before was taken or is too old, and more may be due at `now`. */
  async readAhead(wanted: number, now: Date): Promise<void> {
    const ageMs = performance.now() - this.#readAt;
    if (ageMs > (this.hasAny ? FRESH_MS : AGAIN_MS)) this.look(true);
    if (this.hasAny || Number(now) < this.#nextAt) return;
    const most = Math.min(MOST, Math.max(wanted, LEAST));
    const [endpointId, after, known] = [this.#endpointId, this.#after, this.#taken];
    this.#nextAt = Number.POSITIVE_INFINITY;
    const read = await this.#read({ endpointId, most, after, known });
    this.#readAt = performance.now();
    if (read.length >= most) this.look();
    const firsts = read.filter((each) => !isRetry(each));
    const ordered = firsts.filter(({ inOrderOf }) => inOrderOf !== null);
    this.#firsts = [...fromBothEnds(firsts.slice(0, firsts.length - ordered.length)), ...ordered];
    this.#retries = read.filter(isRetry);
  }

  /** Takes the next delivery that was read, not a retry unless it `mayRetry`; undefined if there is none. */
  take(mayRetry: boolean): DueDelivery | undefined {
    this.#turn = (this.#turn % 100) + this.#retrySharePercent;
    const isRetrys = mayRetry && (this.#turn >= 100 || this.#firsts.length === 0);
    const next = (isRetrys && this.#retries.shift()) || this.#firsts.shift();
    if (!next) return undefined;
    this.#taken.add(next.id);
    this.#after = next.inOrderOf ?? this.#after;
    return next;
  }

  /** Whether something that was read is left. */
  get hasAny(): boolean {
    return this.#firsts.length + this.#retries.length > 0;
  }

  /** Marks a taken delivery as ended. */
  end({ id, inOrderOf }: DueDelivery): void {
    this.#taken.delete(id);
    // The next delivery of the same subject may be sent now.
    if (inOrderOf !== null) this.look();
  }

  /** Has the next call read again, because something may be due; `anew` also discards what was read ahead. */
  look(anew = false): void {
    if (anew) [this.#firsts, this.#retries] = [[], []];
    this.#nextAt = 0;
  }

  /** Notes that a delivery will be due at `at`. */
  expect(at: Date): void {
    this.#nextAt = Math.min(this.#nextAt, Number(at));
  }

  /** When there may be more to take, in milliseconds since 1970; infinity if unknown. */
  get nextAt(): number {
    return this.hasAny ? 0 : this.#nextAt;
  }
}

/** Alternates between the newest and the oldest deliveries. */
function fromBothEnds(inTime: DueDelivery[]): DueDelivery[] {
  const mixed: DueDelivery[] = [];
  for (let newest = randomFraction() < 0.5; inTime.length > 0; newest = !newest) {
    mixed.push(...(newest ? inTime.splice(-1) : inTime.splice(0, 1)));
  }
  return mixed;
}

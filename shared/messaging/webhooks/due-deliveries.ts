import { type Clock, SECOND } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { randomFraction } from '../../platform/ids.ts';
import type { Database } from '../unit-of-work/database.ts';
import {
  type DueDelivery,
  SUBJECTS_A_READING,
  selectDue,
  selectHeads,
} from './delivery-work.store.ts';
import type { Ordering } from './endpoint.ts';

/** How long what was read ahead is taken for true, and when is looked again without a reason. */
const [FRESH_MS, AGAIN_MS] = [250, SECOND];
/** Deliveries that one reading takes from each end. */
const [LEAST, MOST] = [4, 100];

const isRetry = ({ attempts }: DueDelivery): boolean => attempts > 0;

/** Finds what is due to an endpoint, a little ahead of what is sent. */
export class DueDeliveries {
  readonly #services: { db: Database; clock: Clock; config: Config };
  readonly #endpointId: string;
  /** Taken, and not ended. */
  readonly #taken = new Map<string, DueDelivery>();
  #ahead: DueDelivery[] = [];
  #readAt = 0;
  /** When something may be due that was not read, in milliseconds since 1970. */
  #nextAt = 0;
  /**
   * For an ordered endpoint: the last subject that was looked at, and where the current round over all subjects began.
   */
  #subject = '';
  #round = { from: '', pastLast: false };
  /** The last subject of which one was taken, of those that were read last. */
  #reached = '';

  constructor(services: { db: Database; clock: Clock; config: Config }, endpointId: string) {
    this.#services = services;
    this.#endpointId = endpointId;
  }

  /** Up to `limit` that were not taken yet, up to `retries` of them retries; fewer when no more are due. */
  async take(ordering: Ordering, limit: number, retries: number): Promise<DueDelivery[]> {
    const taken: DueDelivery[] = [];
    let left = retries;
    const ageMs = performance.now() - this.#readAt;
    if (ageMs > AGAIN_MS || (ageMs > FRESH_MS && this.#ahead.length > 0)) {
      this.look(true);
    }
    for (;;) {
      this.#ahead = this.#ahead.filter((delivery) => {
        if (taken.length === limit || (isRetry(delivery) && left === 0)) return true;
        if (isRetry(delivery)) left -= 1;
        this.#taken.set(delivery.id, delivery);
        this.#reached = delivery.inOrderOf ?? this.#reached;
        taken.push(delivery);
        return false;
      });
      const now = this.#services.clock.now();
      if (taken.length === limit || this.#ahead.length > 0 || Number(now) < this.#nextAt)
        return taken;
      this.#nextAt = Number.POSITIVE_INFINITY;
      const read = ordering === 'per_subject' ? this.#readInOrder(now) : this.#read(now, limit);
      this.#ahead = this.#inTurn(await read);
      this.#readAt = performance.now();
    }
  }

  /** Whether retries are left that `take` was not to take. */
  get keepsRetries(): boolean {
    return this.#ahead.length > 0;
  }

  /** To be called when a delivery that was taken has ended. */
  end({ id, inOrderOf }: DueDelivery): void {
    this.#taken.delete(id);
    // The next one of its subject may go now.
    if (inOrderOf !== null) this.look();
  }

  /** Something may have become due; with `anew`, what was read ahead may no longer be. */
  look(anew = false): void {
    // The next reading begins with the subjects that are left out now, or they would be left out each time.
    if (anew && this.#ahead.length > 0) this.#subject = this.#reached;
    if (anew) this.#ahead = [];
    this.#nextAt = 0;
    this.#round = { from: this.#subject, pastLast: false };
  }

  /** Something will be due at `at`. */
  expect(at: Date): void {
    this.#nextAt = Math.min(this.#nextAt, Number(at));
  }

  /** When there may be more to take, in milliseconds since 1970; infinity when nothing is known. */
  get nextAt(): number {
    return this.#ahead.length > 0 ? 0 : this.#nextAt;
  }

  async #read(now: Date, wanted: number): Promise<DueDelivery[]> {
    const limit = Math.min(MOST, Math.max(wanted, LEAST));
    const where = { endpointId: this.#endpointId, known: [...this.#taken.keys()], now, limit };
    const rows = await selectDue.all(this.#services.db.indexed, where);
    if (rows.length >= limit) this.look();
    const inTime = rows.sort(
      (one, other) => Number(one.nextAttemptAt) - Number(other.nextAttemptAt),
    );
    return [...fromBothEnds(inTime.filter((each) => !isRetry(each))), ...inTime.filter(isRetry)];
  }

  /** Goes on from the subjects of the reading before, and after the last one with the first, until the round is over. */
  async #readInOrder(now: Date): Promise<DueDelivery[]> {
    const where = { endpointId: this.#endpointId, known: [...this.#taken.keys()], now };
    const after = this.#subject;
    this.#reached = after;
    const rows = await selectHeads.all(this.#services.db.indexed, { ...where, after });
    const subjects = rows.flatMap(({ inOrderOf }) => inOrderOf ?? []).sort();
    const isLast = subjects.length < SUBJECTS_A_READING;
    this.#subject = isLast ? '' : (subjects.at(-1) ?? '');
    const { from, pastLast } = this.#round;
    const isOver = isLast ? pastLast || from === '' : pastLast && this.#subject >= from;
    if (isLast) this.#round.pastLast = true;
    if (!isOver) this.#nextAt = 0;
    const busy = new Set([...this.#taken.values()].map(({ inOrderOf }) => inOrderOf));
    return rows.filter(({ id, inOrderOf, nextAttemptAt }) => {
      if (nextAttemptAt > now) this.expect(nextAttemptAt);
      return (
        nextAttemptAt <= now && !this.#taken.has(id) && (inOrderOf === null || !busy.has(inOrderOf))
      );
    });
  }

  /** First attempts and retries, these with their share of the turns. */
  #inTurn(due: readonly DueDelivery[]): DueDelivery[] {
    const share = this.#services.config.webhookRetrySharePercent;
    const turnOf = (at: number, percent: number) => (at + 1) / Math.max(percent, 1);
    const firsts = due.filter((each) => !isRetry(each));
    const placed = [
      ...firsts.map((delivery, at) => ({ delivery, turn: turnOf(at, 100 - share) })),
      ...due.filter(isRetry).map((delivery, at) => ({ delivery, turn: turnOf(at, share) })),
    ];
    return placed.sort((one, other) => one.turn - other.turn).map(({ delivery }) => delivery);
  }
}

/** In turn from the newest and the oldest, each as often as the other the first. */
function fromBothEnds(inTime: DueDelivery[]): DueDelivery[] {
  const mixed: DueDelivery[] = [];
  for (let newest = randomFraction() < 0.5; inTime.length > 0; newest = !newest) {
    mixed.push(...(newest ? inTime.splice(-1) : inTime.splice(0, 1)));
  }
  return mixed;
}

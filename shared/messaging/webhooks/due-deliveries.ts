import { type Clock, SECOND } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { randomFraction } from '../../platform/ids.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { DeliveryPool } from './delivery-pool.ts';
import {
  type DueDelivery,
  SUBJECTS_A_READING,
  selectDue,
  selectHeads,
} from './delivery-work.store.ts';
import type { Ordering } from './endpoint.ts';

/** How long deliveries read ahead stay valid, and how often they are read again without a wake-up. */
const [FRESH_MS, AGAIN_MS] = [250, SECOND];
/** The minimum and maximum number of deliveries that one query reads from each end of the backlog. */
const [LEAST, MOST] = [4, 100];

const isRetry = ({ attempts }: DueDelivery): boolean => attempts > 0;

interface Services {
  db: Database;
  clock: Clock;
  config: Config;
  deliveryPool: Pick<DeliveryPool, 'dueRange'>;
}

/** Finds an endpoint's due deliveries, reading slightly ahead. */
export class DueDeliveries {
  readonly #services: Services;
  readonly #endpointId: string;
  /** Deliveries that were taken and have not ended. */
  readonly #taken = new Map<string, DueDelivery>();
  #ahead: DueDelivery[] = [];
  #readAt = 0;
  /** When a delivery that was not read may become due, in milliseconds since 1970. */
  #nextAt = 0;
  /**
   * For an ordered endpoint: the last subject read, and where the current pass over all subjects began.
   */
  #subject = '';
  #round = { from: '', pastLast: false };
  /** The last subject of the latest query from which a delivery was taken. */
  #reached = '';

  constructor(services: Services, endpointId: string) {
    this.#services = services;
    this.#endpointId = endpointId;
  }

  /** Takes up to `limit` due deliveries that have not been taken yet, at most `retries` of them retries. */
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

  /** Whether due retries are left that exceeded the limit of `take`. */
  get keepsRetries(): boolean {
    return this.#ahead.length > 0;
  }

  /** Marks a taken delivery as ended. */
  end({ id, inOrderOf }: DueDelivery): void {
    this.#taken.delete(id);
    // The next delivery of the same subject may be sent now.
    if (inOrderOf !== null) this.look();
  }

  /** Makes the next `take` read again, because something may be due; `anew` also discards what was read ahead. */
  look(anew = false): void {
    // The next query begins with the subjects discarded here; otherwise they would be skipped every time.
    if (anew && this.#ahead.length > 0) this.#subject = this.#reached;
    if (anew) this.#ahead = [];
    this.#nextAt = 0;
    this.#round = { from: this.#subject, pastLast: false };
  }

  /** Notes that a delivery will be due at `at`. */
  expect(at: Date): void {
    this.#nextAt = Math.min(this.#nextAt, Number(at));
  }

  /** When there may be more to take, in milliseconds since 1970; infinity if unknown. */
  get nextAt(): number {
    return this.#ahead.length > 0 ? 0 : this.#nextAt;
  }

  async #read(now: Date, wanted: number): Promise<DueDelivery[]> {
    const limit = Math.min(MOST, Math.max(wanted, LEAST));
    const where = { ...(await this.#where(now)), limit };
    const rows = await selectDue.all(this.#services.db.indexed, where);
    if (rows.length >= limit) this.look();
    const inTime = rows.sort(
      (one, other) => Number(one.nextAttemptAt) - Number(other.nextAttemptAt),
    );
    return [...fromBothEnds(inTime.filter((each) => !isRetry(each))), ...inTime.filter(isRetry)];
  }

  async #where(now: Date) {
    const range = await this.#services.deliveryPool.dueRange();
    return { endpointId: this.#endpointId, known: [...this.#taken.keys()], now, ...range };
  }

  /** Continues after the subjects of the previous query, and wraps around, until the pass is complete. */
  async #readInOrder(now: Date): Promise<DueDelivery[]> {
    const where = await this.#where(now);
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

  /** Interleaves first attempts and retries; retries have a fixed share. */
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

/** Alternates between the newest and the oldest deliveries. */
function fromBothEnds(inTime: DueDelivery[]): DueDelivery[] {
  const mixed: DueDelivery[] = [];
  for (let newest = randomFraction() < 0.5; inTime.length > 0; newest = !newest) {
    mixed.push(...(newest ? inTime.splice(-1) : inTime.splice(0, 1)));
  }
  return mixed;
}

import type { Sample } from '../../test/support/metrics.ts';

/** The 99th percentile of work delays, in seconds. */
export interface LateWork {
  /** From when a transfer was due to its start. */
  transfers: number;
  /** From an event to its first request. */
  firstAttempts: number;
}

/** Returns the delays of the work that workers did between two readings of their metrics. */
export function lateWork(before: readonly Sample[], after: readonly Sample[]): LateWork {
  const p99 = (name: string, labels: Record<string, string>) =>
    quantile(bucketsOf(before, name, labels), bucketsOf(after, name, labels), 0.99);
  return {
    transfers: p99('marketplace_job_wait_seconds', { queue: 'transfers' }),
    firstAttempts: p99('marketplace_webhook_first_attempt_seconds', { class: 'healthy' }),
  };
}

type Buckets = Map<number, number>;

function bucketsOf(
  samples: readonly Sample[],
  name: string,
  labels: Record<string, string>,
): Buckets {
  const buckets: Buckets = new Map();
  for (const sample of samples) {
    const wanted = Object.entries(labels).every(([key, value]) => sample.labels[key] === value);
    if (sample.name !== `${name}_bucket` || !wanted) continue;
    const upTo = sample.labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(sample.labels.le);
    buckets.set(upTo, (buckets.get(upTo) ?? 0) + sample.value);
  }
  return buckets;
}

/** Interpolates linearly within a bucket, like Prometheus. */
function quantile(before: Buckets, after: Buckets, share: number): number {
  const counts = [...after]
    .map(([upTo, count]) => ({ upTo, count: count - (before.get(upTo) ?? 0) }))
    .sort((a, b) => a.upTo - b.upTo);
  const wanted = (counts.at(-1)?.count ?? 0) * share;
  let from = { upTo: 0, count: 0 };
  for (const bucket of counts) {
    if (bucket.count >= wanted) {
      if (bucket.upTo === Number.POSITIVE_INFINITY) return from.upTo;
      const part = (wanted - from.count) / (bucket.count - from.count || 1);
      return from.upTo + part * (bucket.upTo - from.upTo);
    }
    from = bucket;
  }
  return 0;
}

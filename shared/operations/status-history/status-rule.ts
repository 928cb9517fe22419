/** The parts of the service that are probed every minute, in the order in which they are told. */
export const COMPONENTS = ['api', 'database', 'redis', 'queues', 'webhooks'] as const;
export type Component = (typeof COMPONENTS)[number];

/** What a probe found of a component. */
export interface Probe {
  component: Component;
  /** The minute, whole. */
  at: Date;
  ok: boolean;
}

/** A time in which a component did not work. */
export interface Incident {
  startedAt: Date;
  /** Null while it lasts. */
  endedAt: Date | null;
}

/** So many probes in a row open an incident, and close it: one that fails may have met a deploy. */
export const IN_A_ROW = 3;

/**
 * The incidents of one component. Three failures in a row open one, which starts at the first of them; three
 * successes in a row close it, at the first of those. A minute without a probe counts for nothing.
 *
 * @param probes oldest first
 * @param openSince when the incident started that was open before the first of them; null without one
 */
export function deriveIncidents(
  probes: readonly Pick<Probe, 'at' | 'ok'>[],
  openSince: Date | null,
): Incident[] {
  const over: Incident[] = [];
  let startedAt = openSince;
  let turn: Date[] = [];
  for (const { at, ok } of probes) {
    turn = ok === (startedAt !== null) ? [...turn, at] : [];
    const [first] = turn;
    if (turn.length < IN_A_ROW || !first) continue;
    if (startedAt) over.push({ startedAt, endedAt: first });
    startedAt = startedAt ? null : first;
    turn = [];
  }
  return startedAt ? [...over, { startedAt, endedAt: null }] : over;
}

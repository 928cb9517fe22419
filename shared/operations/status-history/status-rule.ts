/** The components that are probed every minute, in display order. */
export const COMPONENTS = ['api', 'database', 'redis', 'queues', 'webhooks'] as const;
export type Component = (typeof COMPONENTS)[number];

/** The result of a probe of a component. */
export interface Probe {
  component: Component;
  /** The probed minute, without seconds. */
  at: Date;
  ok: boolean;
}

/** A period in which a component was down. */
export interface Incident {
  startedAt: Date;
  /** Null while the incident is open. */
  endedAt: Date | null;
}

/** The number of consecutive probes that open or close an incident: a single failure may be due to a deploy. */
export const IN_A_ROW = 3;

/**
 * Derives the incidents of one component. Three consecutive failures open an incident, which starts at the first of
 * them; three consecutive successes close it, at the first of those. Minutes without a probe are ignored.
 *
 * @param probes oldest first
 * @param openSince when the incident started that was open before the first probe; null if there was none
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

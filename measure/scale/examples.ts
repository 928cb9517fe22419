import { addMs, DAY } from '../../shared/platform/clock.ts';
import type { WireRequest } from '../support/signed-request.ts';
import type { Scene } from './scene.ts';
import type { TimedAnswer } from './timer.ts';

/** A repeatable call of a route. */
export interface Example {
  /** The group of routes in the table, such as `partner`. */
  group: string;
  /** The operation id, or the path. */
  name: string;
  writes: boolean;
  /** Prepares a round's call and returns it; missing if nobody wrote an example. */
  prepare: ((at: number) => Prepared | Promise<Prepared>) | undefined;
  /** Why it is not called. */
  leftOut?: string;
}

export interface Prepared {
  /** Identifies a list: calls with the same value go on from page to page. */
  list: string;
  /** Returns the request; for a list, for the page at `cursor`. */
  request(cursor?: string): WireRequest;
  after?: ((answer: TimedAnswer) => Promise<unknown>) | undefined;
}

/** Returns the routes that should have an example but don't. */
export function withoutExample(examples: readonly Example[]): string[] {
  return examples
    .filter(({ prepare, leftOut }) => prepare === undefined && leftOut === undefined)
    .map(({ group, name }) => `${group} ${name}`);
}

/** Returns one of the variants, in turn. */
export function oneOf<T>(at: number, ...variants: readonly [T, ...T[]]): T {
  return variants[at % variants.length] as T;
}

/** Returns the date that many days before now. */
export function dayBefore({ now }: Scene, days: number): string {
  return addMs(now, -days * DAY)
    .toISOString()
    .slice(0, 10);
}

/** Returns the element for this round; undefined for an empty list. */
export function nth<T>(list: readonly T[], at: number): T | undefined {
  return list[at % list.length];
}

/** An id in a recorded example, a placeholder for a real one of its kind. */
export const RECORDED_ID = /\b([a-z]{3})_01kag2cw9ef7ztb1m4x6n8q0rs\b/;

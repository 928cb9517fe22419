import { addMs, DAY } from '../../shared/platform/clock.ts';
import type { WireRequest } from '../support/signed-request.ts';
import type { Scene } from './scene.ts';
import type { TimedAnswer } from './timer.ts';

/** A repeatable call of a route. */
export interface Example {
  /** Which table the route is in. */
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
  /** Calls of the same list go on from page to page. */
  list: string;
  /** The request; of a list, that of the page at a cursor. */
  request(cursor?: string): WireRequest;
  after?: ((answer: TimedAnswer) => Promise<unknown>) | undefined;
}

/** The routes without an example. */
export function withoutExample(examples: readonly Example[]): string[] {
  return examples
    .filter(({ prepare, leftOut }) => prepare === undefined && leftOut === undefined)
    .map(({ group, name }) => `${group} ${name}`);
}

/** One of these, in turn. */
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

/** An id in a recorded example, which stands for one of its kind. */
export const RECORDED_ID = /\b([a-z]{3})_01kag2cw9ef7ztb1m4x6n8q0rs\b/;

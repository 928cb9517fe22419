/** A limited number of places, given out in order of arrival, with a queue of limited length. */
export interface Bulkhead {
  /**
   * Waits for a place. Returns false if the queue is full or `signal` aborts the wait. Urgent callers go before all
   * others and are not limited by the queue's length.
   */
  enter(signal: AbortSignal, isUrgent?: boolean): Promise<boolean>;
  /** Releases a place. Call it once for each `enter` that returned true. */
  leave(): void;
  /** Whether no place is taken and no caller waits. */
  isIdle(): boolean;
}

/** @param most the maximum number of callers inside and waiting at a time */
export function createBulkhead(most: { inside: number; waiting: number }): Bulkhead {
  let inside = 0;
  const urgent: (() => void)[] = [];
  const waiting: (() => void)[] = [];
  return {
    async enter(signal, isUrgent = false) {
      if (inside < most.inside) {
        inside += 1;
        return true;
      }
      const queue = isUrgent ? urgent : waiting;
      if ((!isUrgent && queue.length >= most.waiting) || signal.aborted) return false;
      return new Promise((resolve) => {
        const admit = () => {
          signal.removeEventListener('abort', giveUp);
          resolve(true);
        };
        const giveUp = () => {
          queue.splice(queue.indexOf(admit), 1);
          resolve(false);
        };
        queue.push(admit);
        signal.addEventListener('abort', giveUp, { once: true });
      });
    },
    leave() {
      // Hand the place to the next caller, so that `inside` is never one too low.
      const next = urgent.shift() ?? waiting.shift();
      if (next) next();
      else inside -= 1;
    },
    isIdle: () => inside === 0 && urgent.length + waiting.length === 0,
  };
}

/** A bounded number of places, given out first come first served, with a queue of bounded length. */
export interface Bulkhead {
  /** Waits for a place; false when the queue is full or `signal` aborted the wait. */
  enter(signal: AbortSignal): Promise<boolean>;
  /** Gives a place back. Once for each `enter` that answered true. */
  leave(): void;
  /** Whether no place is taken and nothing waits. */
  isIdle(): boolean;
}

/** @param most how many may be inside, and how many may wait, at a time */
export function createBulkhead(most: { inside: number; waiting: number }): Bulkhead {
  let inside = 0;
  const waiting: (() => void)[] = [];
  return {
    async enter(signal) {
      if (inside < most.inside) {
        inside += 1;
        return true;
      }
      if (waiting.length >= most.waiting || signal.aborted) return false;
      return new Promise((resolve) => {
        const admit = () => {
          signal.removeEventListener('abort', giveUp);
          resolve(true);
        };
        const giveUp = () => {
          waiting.splice(waiting.indexOf(admit), 1);
          resolve(false);
        };
        waiting.push(admit);
        signal.addEventListener('abort', giveUp, { once: true });
      });
    },
    leave() {
      // The next in the queue takes the place over, so that `inside` never counts one too few.
      const next = waiting.shift();
      if (next) next();
      else inside -= 1;
    },
    isIdle: () => inside === 0 && waiting.length === 0,
  };
}

/** A bounded number of places, given out first come first served, with a queue of bounded length. */
export interface Bulkhead {
  /**
   * Waits for a place; false when the queue is full or `signal` aborted the wait. Who is urgent gets one before all who
   * are not, however long the queue is.
   */
  enter(signal: AbortSignal, isUrgent?: boolean): Promise<boolean>;
  /** Gives a place back. Once for each `enter` that answered true. */
  leave(): void;
  /** Whether no place is taken and nothing waits. */
  isIdle(): boolean;
}

/** @param most how many may be inside, and how many may wait, at a time */
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
      // The next in the queue takes the place over, so that `inside` never counts one too few.
      const next = urgent.shift() ?? waiting.shift();
      if (next) next();
      else inside -= 1;
    },
    isIdle: () => inside === 0 && urgent.length + waiting.length === 0,
  };
}

/** Lets a loop sleep until it is woken. */
export interface Waker {
  /** Ends the current sleep, or the next one at once. */
  wake(): void;
  /** Waits until it is woken, at most so many milliseconds; not at all when it was woken since the last rest. */
  rest(ms: number): Promise<void>;
}

export function createWaker(): Waker {
  let woken = false;
  let end: (() => void) | undefined;
  return {
    wake() {
      woken = true;
      end?.();
    },
    async rest(ms) {
      if (!woken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      end = undefined;
      woken = false;
    },
  };
}

/** Lets a loop sleep until it is woken. */
export interface Waker {
  /** Ends the current sleep, or the next one as soon as it starts. */
  wake(): void;
  /** Waits until woken, but at most `ms` milliseconds. Returns at once if woken since the last rest. */
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

import type { Registration } from '../../shared/market/lookup/lookup.ts';
import type { TestApp } from './app.ts';

/** A stand-in for the world's registries. */
export interface Registries {
  /** The answer for each name; `hangs` waits for {@link release}. All other names are available. */
  says: Map<string, Registration | 'hangs'>;
  /** The names that were looked up. */
  asked: string[];
  budgets: Set<number>;
  /** Ends hanging lookups as unknown. */
  release(): void;
  clear(): void;
}

/** Replaces the lookups of an app with the test's own answers. */
export function standInRegistries({ runtime }: TestApp): Registries {
  let waiting: (() => void)[] = [];
  const state: Registries = {
    says: new Map(),
    asked: [],
    budgets: new Set(),
    release() {
      for (const end of waiting) end();
      waiting = [];
    },
    clear() {
      state.release();
      state.says.clear();
      state.asked = [];
    },
  };
  runtime.lookups.registration = async (domain, budgetMs) => {
    state.asked.push(domain);
    state.budgets.add(budgetMs);
    const said = state.says.get(domain) ?? 'available';
    if (said !== 'hangs') return said;
    await new Promise<void>((resolve) => waiting.push(resolve));
    return 'unknown';
  };
  return state;
}

import type { Registration } from '../../shared/market/lookup/lookup.ts';
import type { TestApp } from './app.ts';

/** What the registries of the world say, in place of them. */
export interface Registries {
  /** What it says of a name; `hangs` waits for {@link release}. Any other name is available. */
  says: Map<string, Registration | 'hangs'>;
  /** The names that it was asked about. */
  asked: string[];
  budgets: Set<number>;
  /** Lets what hangs end as unknown. */
  release(): void;
  clear(): void;
}

/** Puts answers of a test's own in place of the lookups of an app. */
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

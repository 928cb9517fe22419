import type { Vector } from './vector.ts';

/** A model that turns texts into vectors. */
export interface Embedder {
  /** Vectors of different models cannot be compared. */
  model: string;
  /** The model reads only English, so queries are translated for it. */
  english: boolean;
  /** How many texts it takes at a time, if it has a limit: more in a call come no sooner. */
  atOnce?: number;
  /**
   * Returns the vectors of `texts`, in order, all of one dimension.
   * @throws EmbeddingError when there are none
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Vector[]>;
  close(): Promise<void>;
}

/** Why a call returned no vectors. `scope` says whether other texts may succeed. */
export class EmbeddingError extends Error {
  readonly scope: 'these texts' | 'the model';

  constructor(of: EmbeddingError['scope'], message: string) {
    super(message);
    this.name = 'EmbeddingError';
    this.scope = of;
  }
}

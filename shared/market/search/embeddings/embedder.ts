import type { Vector } from './vector.ts';

/** Something that turns texts into vectors. */
export interface Embedder {
  /** Vectors of different models cannot be compared. */
  model: string;
  /** It reads English alone, so queries are translated for it. */
  english: boolean;
  /**
   * The vectors of `texts`, in their order, all of one dimension.
   * @throws EmbeddingError when there are none
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Vector[]>;
  close(): Promise<void>;
}

/** Why a call gave no vectors; `scope` says whether trying other texts may help. */
export class EmbeddingError extends Error {
  readonly scope: 'these texts' | 'the model';

  constructor(of: EmbeddingError['scope'], message: string) {
    super(message);
    this.name = 'EmbeddingError';
    this.scope = of;
  }
}

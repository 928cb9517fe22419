/** A text as a point in the model's space, of length 1: the nearer two texts are, the larger their dot product. */
export type Vector = Float32Array;

/** Something that turns texts into vectors. */
export interface Embedder {
  /** Vectors of different models cannot be compared. */
  model: string;
  /**
   * The vectors of `texts`, in their order, all of one dimension.
   * @throws EmbeddingError when there are none
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Vector[]>;
  close(): Promise<void>;
}

/** Why a call gave no vectors; `of` says whether trying other texts may help. */
export class EmbeddingError extends Error {
  readonly scope: 'these texts' | 'the endpoint';

  constructor(of: EmbeddingError['scope'], message: string) {
    super(message);
    this.name = 'EmbeddingError';
    this.scope = of;
  }
}

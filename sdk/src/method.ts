/** For methods that take nothing but options. */
export type NoInput = Record<string, never>;

/** What any call can be told. */
export interface CallOptions {
  /** Ends the call, its waits and its retries included. */
  signal?: AbortSignal | undefined;
  /** For each attempt, in milliseconds. */
  timeoutMs?: number | undefined;
  /** How many times a failed attempt may be repeated; 0 for never. */
  maxRetries?: number | undefined;
}

export interface KeyedCallOptions extends CallOptions {
  /** Names the operation, so that it happens once however often it is sent. Made up when left out. */
  idempotencyKey?: string | undefined;
}

type Call<Input, Options, Answer> =
  Record<never, never> extends Input
    ? (input?: Input, options?: Options) => Answer
    : (input: Input, options?: Options) => Answer;

/** Sends a request and resolves with the answer's body. */
export type Method<Input, Answer> = Call<Input, CallOptions, Promise<Answer>>;

export type KeyedMethod<Input, Answer> = Call<Input, KeyedCallOptions, Promise<Answer>>;

/** Lists come in pages; these turn them. */
export interface WithPages<Input, Page, Item> {
  /** Every item, page after page. */
  all: Call<Input, CallOptions, AsyncGenerator<Item, void, undefined>>;
  pages: Call<Input, CallOptions, AsyncGenerator<Page, void, undefined>>;
}

export interface WithPdf<Input> {
  /** The document as PDF. */
  pdf: Call<Input, CallOptions, Promise<Uint8Array>>;
}

export interface WithCsv<Input> {
  /** The whole report as CSV, piece by piece. */
  csv: Call<Input, CallOptions, AsyncGenerator<string, void, undefined>>;
}

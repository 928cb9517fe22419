/** The input of methods that take only options. */
export type NoInput = Record<string, never>;

/** The options of every call. */
export interface CallOptions {
  /** Aborts the call, including its waits and retries. */
  signal?: AbortSignal | undefined;
  /** The timeout per attempt, in milliseconds. */
  timeoutMs?: number | undefined;
  /** The maximum number of retries; 0 for none. */
  maxRetries?: number | undefined;
}

export interface KeyedCallOptions extends CallOptions {
  /** Identifies the operation, so that it happens once however often it is sent. Generated if omitted. */
  idempotencyKey?: string | undefined;
}

type Call<Input, Options, Answer> =
  Record<never, never> extends Input
    ? (input?: Input, options?: Options) => Answer
    : (input: Input, options?: Options) => Answer;

/** Sends a request and resolves with the response body. */
export type Method<Input, Answer> = Call<Input, CallOptions, Promise<Answer>>;

export type KeyedMethod<Input, Answer> = Call<Input, KeyedCallOptions, Promise<Answer>>;

/** Methods that iterate over paginated lists. */
export interface WithPages<Input, Page, Item> {
  /** Iterates over the items of all pages. */
  all: Call<Input, CallOptions, AsyncGenerator<Item, void, undefined>>;
  pages: Call<Input, CallOptions, AsyncGenerator<Page, void, undefined>>;
}

export interface WithPdf<Input> {
  /** Resolves with the document as PDF. */
  pdf: Call<Input, CallOptions, Promise<Uint8Array>>;
}

export interface WithCsv<Input> {
  /** Streams the complete report as CSV. */
  csv: Call<Input, CallOptions, AsyncGenerator<string, void, undefined>>;
}

import { FORMER_NAMES, type Methods, OPERATIONS } from './generated/operations.ts';
import type { KeyedCallOptions } from './method.ts';
import type { Operation } from './operation.ts';
import { type ClientOptions, type Settings, settingsOf } from './options.ts';
import { readBody } from './read-answer.ts';
import { readText } from './read-text.ts';
import { refuseBrowser } from './refuse-browser.ts';
import { send } from './send.ts';

/** Every endpoint of the partner API, as `client.<resource>.<verb>(input, options)`. */
export type Client = Methods;

type Input = Readonly<Record<string, unknown>>;

/**
 * Creates a client that signs with these keys. Its methods throw ApiError (by status), ConnectionError,
 * TimeoutError, or the abort reason of your own signal.
 */
export function createClient(options: ClientOptions): Client {
  refuseBrowser();
  const settings = settingsOf(options);
  const resources = Object.fromEntries(
    Object.entries(OPERATIONS).map(([resource, verbs]) => [
      resource,
      Object.fromEntries(
        Object.entries(verbs).map(([verb, operation]) => [verb, methodOf(settings, operation)]),
      ),
    ]),
  );
  for (const [former, resource] of Object.entries(FORMER_NAMES)) {
    resources[former] = resources[resource] as (typeof resources)[string];
  }
  return resources as unknown as Client;
}

function methodOf(settings: Settings, operation: Operation) {
  const call = (input: Input = {}, options: KeyedCallOptions = {}) =>
    send(settings, {
      operation,
      input,
      options,
      accept: 'application/json',
      read: async (response) => readBody(response, await response.text()),
    });

  async function* pages(input: Input = {}, options: KeyedCallOptions = {}) {
    const { cursor = '' } = operation.pages ?? {};
    for (let next = input; ; ) {
      const page = (await call(next, options)) as Record<string, unknown>;
      yield page;
      // Stops at any other value, since a proxy that answers 200 must not cause an endless loop.
      if (typeof page.next_cursor !== 'string') return;
      next = { ...input, [cursor]: page.next_cursor };
    }
  }

  async function* all(input?: Input, options?: KeyedCallOptions) {
    const { items = '' } = operation.pages ?? {};
    for await (const page of pages(input, options)) yield* page[items] as unknown[];
  }

  async function* csv(input: Input = {}, options: KeyedCallOptions = {}) {
    const read = async ({ body }: Response) => body;
    const body = await send(settings, { operation, input, options, accept: 'text/csv', read });
    if (body) yield* readText(body, options.signal);
  }

  const pdf = (input: Input = {}, options: KeyedCallOptions = {}) =>
    send(settings, {
      operation,
      input,
      options,
      accept: 'application/pdf',
      read: async (response) => new Uint8Array(await response.arrayBuffer()),
    });

  return Object.assign(
    call,
    operation.pages && { all, pages },
    operation.csv && { csv },
    operation.pdf && { pdf },
  );
}

import { Agent, type IncomingMessage } from 'node:http';
import supertest, { type Response, type Test } from 'supertest';

export interface ClientAnswer {
  status: number;
  headers: Headers;
  /** The body parsed as JSON; null if it is not JSON: an empty response, a page, a CSV. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers field by field
  body: any;
  text: string;
}

/** A pending call, as a promise of its response. supertest's `expect` states the requirements. */
export interface HttpCall extends Promise<ClientAnswer> {
  /** Fails the test with the whole response if the status differs. */
  expect(status: number): HttpCall;
  expect(header: string, value: string | RegExp): HttpCall;
  expect(check: (answer: ClientAnswer) => void): HttpCall;
}

export interface Sent {
  headers?: Readonly<Record<string, string | undefined>>;
  /** Text sent unchanged, or a form, which sets its own type. */
  body?: string | URLSearchParams | FormData | undefined;
}

// Keeps connections alive, as browsers and SDKs do.
const connections = new Agent({ keepAlive: true });

/**
 * Sends a request with supertest, without following redirects. It starts at once, so that two calls can run in
 * parallel; call `expect` synchronously after it.
 *
 * @param baseUrl scheme, host and port
 */
export function httpCall(baseUrl: string, method: string, path: string, sent: Sent = {}): HttpCall {
  const test = new supertest.Test(baseUrl, method, path).agent(connections).parse(wholeAnswer);
  for (const [name, value] of Object.entries(sent.headers ?? {})) {
    if (value !== undefined) test.set(name, value);
  }
  const checks: ((answer: ClientAnswer) => void)[] = [];
  const answer = Promise.resolve().then(() => sendAndCheck(test, sent.body, checks));
  const call: HttpCall = Object.assign(answer, {
    expect(...expected: [never]) {
      const [check] = expected as [unknown];
      if (typeof check === 'function') checks.push(check as (answer: ClientAnswer) => void);
      else test.expect(...expected);
      return call;
    },
  });
  return call;
}

/** Runs the checks before those of supertest, which prefers the stack of any `expect` over its own failure. */
async function sendAndCheck(
  test: Test,
  body: Sent['body'],
  checks: readonly ((answer: ClientAnswer) => void)[],
): Promise<ClientAnswer> {
  let content: string | Buffer | undefined;
  if (body instanceof FormData || body instanceof URLSearchParams) {
    const form = new globalThis.Response(body);
    test.set('Content-Type', form.headers.get('Content-Type') ?? '');
    // Superagent sends URL-encoded fields unchanged as text; it would treat a buffer as an object of fields.
    content = body instanceof FormData ? Buffer.from(await form.arrayBuffer()) : await form.text();
  } else content = body;
  return new Promise((resolve, reject) => {
    if (content !== undefined) test.send(content);
    test.end((failure, response?: Response) => {
      if (!response) return reject(failure);
      const answer = answerOf(response);
      try {
        for (const check of checks) check(answer);
      } catch (error) {
        return reject(error);
      }
      if (failure) reject(new Error(`${failure.message}: ${answer.text}`, { cause: failure }));
      else resolve(answer);
    });
  });
}

function answerOf({ status, headers, body, text }: Response): ClientAnswer {
  const pairs = Object.entries<string | string[]>(headers).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
  return { status, headers: new Headers(pairs), body, text };
}

/** Reads a response to its end, whatever its type. */
function wholeAnswer(
  response: Response,
  done: (failure: Error | null, body: unknown) => void,
): void {
  const stream = response as unknown as IncomingMessage & { text: string };
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => {
    stream.text = Buffer.concat(chunks).toString();
    done(null, parsed(stream.text));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

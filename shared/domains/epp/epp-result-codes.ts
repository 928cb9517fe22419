/**
 * What a result code means: `done`; `pending`, an action that completes later, reported by a poll message;
 * `refused`, the same command will be refused again; `retry`, the command may succeed later.
 */
export type ResultMeaning = 'done' | 'pending' | 'refused' | 'retry';

interface ResultCodeFacts {
  readonly text: string;
  readonly means: ResultMeaning;
  /** Whether the server closes the connection after it. */
  readonly endsSession?: true;
}

/** The result codes of RFC 5730, section 3. */
export const RESULT_CODES = {
  1000: { text: 'Command completed successfully', means: 'done' },
  1001: { text: 'Command completed successfully; action pending', means: 'pending' },
  1300: { text: 'Command completed successfully; no messages', means: 'done' },
  1301: { text: 'Command completed successfully; ack to dequeue', means: 'done' },
  1500: {
    text: 'Command completed successfully; ending session',
    means: 'done',
    endsSession: true,
  },
  2000: { text: 'Unknown command', means: 'refused' },
  2001: { text: 'Command syntax error', means: 'refused' },
  2002: { text: 'Command use error', means: 'refused' },
  2003: { text: 'Required parameter missing', means: 'refused' },
  2004: { text: 'Parameter value range error', means: 'refused' },
  2005: { text: 'Parameter value syntax error', means: 'refused' },
  2100: { text: 'Unimplemented protocol version', means: 'refused' },
  2101: { text: 'Unimplemented command', means: 'refused' },
  2102: { text: 'Unimplemented option', means: 'refused' },
  2103: { text: 'Unimplemented extension', means: 'refused' },
  2104: { text: 'Billing failure', means: 'refused' },
  2105: { text: 'Object is not eligible for renewal', means: 'refused' },
  2106: { text: 'Object is not eligible for transfer', means: 'refused' },
  2200: { text: 'Authentication error', means: 'refused' },
  2201: { text: 'Authorization error', means: 'refused' },
  2202: { text: 'Invalid authorization information', means: 'refused' },
  2300: { text: 'Object pending transfer', means: 'refused' },
  2301: { text: 'Object not pending transfer', means: 'refused' },
  2302: { text: 'Object exists', means: 'refused' },
  2303: { text: 'Object does not exist', means: 'refused' },
  2304: { text: 'Object status prohibits operation', means: 'refused' },
  2305: { text: 'Object association prohibits operation', means: 'refused' },
  2306: { text: 'Parameter value policy error', means: 'refused' },
  2307: { text: 'Unimplemented object service', means: 'refused' },
  2308: { text: 'Data management policy violation', means: 'refused' },
  2400: { text: 'Command failed', means: 'retry' },
  2500: { text: 'Command failed; server closing connection', means: 'retry', endsSession: true },
  2501: {
    text: 'Authentication error; server closing connection',
    means: 'refused',
    endsSession: true,
  },
  2502: {
    text: 'Session limit exceeded; server closing connection',
    means: 'retry',
    endsSession: true,
  },
} as const satisfies Record<number, ResultCodeFacts>;

export type ResultCode = keyof typeof RESULT_CODES;

/** Returns whether a number is a known result code. */
export function isResultCode(code: number): code is ResultCode {
  return Object.hasOwn(RESULT_CODES, code);
}

/** Returns what a result code means. */
export function meaningOf(code: ResultCode): ResultMeaning {
  return RESULT_CODES[code].means;
}

/** Returns whether the server closes the connection after this result. */
export function endsSession(code: ResultCode): boolean {
  const facts: ResultCodeFacts = RESULT_CODES[code];
  return facts.endsSession === true;
}

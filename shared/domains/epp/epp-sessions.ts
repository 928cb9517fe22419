import { backoffMs } from '../../platform/concurrency/backoff.ts';
import { type Bulkhead, createBulkhead } from '../../platform/concurrency/bulkhead.ts';
import { createSharedAbort } from '../../platform/concurrency/deadline.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { commandDocument, type EppCommand, HELLO, LOGOUT } from './epp-commands.ts';
import type { EppConnection } from './epp-connection.ts';
import { EppRefused, EppUnreachable, EppUnreadable } from './epp-errors.ts';
import { EppLogin, type EppLoginOptions } from './epp-login.ts';
import { type EppResponse, readResponse } from './epp-responses.ts';
import { endsSession } from './epp-result-codes.ts';

export interface EppSessionsOptions extends EppLoginOptions {
  /** Sessions that the registry allows this process. */
  maxSessions: number;
  /** After so many milliseconds without a command a session says `<hello>`; less than the registry's idle limit. */
  keepAliveMs: number;
  /** Waits between attempts to open a session, in milliseconds. */
  reconnect: { firstMs: number; maxMs: number; attempts: number };
}

/** How a command is sent. */
export interface Sending {
  clTRID: string;
  signal: AbortSignal;
  /** Asked when the command has its session, directly before it leaves. @throws what keeps it from leaving */
  permit?: (() => Promise<void>) | undefined;
  /** Goes ahead of all commands that wait for a session and are not urgent. */
  isUrgent?: boolean;
}

/** Commands that wait for a session; more would time out in the queue. */
const MAX_WAITING = 10_000;

interface Session {
  connection: EppConnection;
  keepAlive: NodeJS.Timeout | undefined;
}

/**
 * Sessions with one registry, opened when they are needed and kept. When the registry has too many (2502) or is away,
 * opening one waits longer each time, unless another session comes free; one command at a time opens a session.
 */
export class EppSessions {
  readonly #options: EppSessionsOptions;
  readonly #log: Logger;
  readonly #login: EppLogin;
  readonly #places: Bulkhead;
  readonly #closing = createSharedAbort();
  #idle: Session[] = [];
  #opening: Promise<unknown> = Promise.resolve();
  /** Attempts to open a session that failed in a row. */
  #failures = 0;
  /** Wake those that wait to open one, the first one first. */
  #waiting: (() => void)[] = [];

  constructor(options: EppSessionsOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
    this.#login = new EppLogin(options, log);
    this.#places = createBulkhead({ inside: options.maxSessions, waiting: MAX_WAITING });
  }

  /**
   * Sends a command on a free session, in the order of the asking, and gives the response, whatever its result.
   * @throws EppUnreachable, EppUnanswered, EppRefused when the login is refused, or what `permit` throws
   */
  async send(
    command: EppCommand,
    { clTRID, signal, permit, isUrgent }: Sending,
  ): Promise<EppResponse> {
    const isOver = signal.aborted || this.#closing.signal.aborted;
    if (isOver || !(await this.#places.enter(signal, isUrgent))) {
      throw new EppUnreachable('no session with the registry came free in time');
    }
    try {
      const session = await this.#acquire(signal);
      try {
        await permit?.();
        // Whoever gave up may have somebody else ask by now, so nothing leaves any more.
        if (signal.aborted) throw new EppUnreachable('the caller gave up before it was sent');
      } catch (error) {
        this.#keep(session);
        throw error;
      }
      const response = await answerOf(session.connection, command, clTRID);
      if (endsSession(response.code)) session.connection.close();
      else this.#keep(session);
      return response;
    } finally {
      this.#places.leave();
    }
  }

  /** Whether the registry offers what has this namespace; undefined before the first session. */
  offers(namespace: string): boolean | undefined {
    return this.#login.offers(namespace);
  }

  /** Says goodbye on every session. */
  async close(): Promise<void> {
    this.#closing.abort(new EppUnreachable('the sessions were closed'));
    const last = this.#idle;
    this.#idle = [];
    for (const { keepAlive } of last) clearTimeout(keepAlive);
    await Promise.allSettled(
      last.map(async ({ connection }) => {
        await connection.exchange(commandDocument(LOGOUT, 'logout'));
        connection.close();
      }),
    );
  }

  async #acquire(signal: AbortSignal): Promise<Session> {
    const { reconnect } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      const free = this.#takeIdle();
      if (free) return free;
      try {
        return await this.#openInTurn();
      } catch (error) {
        if (error instanceof EppRefused && !error.isTemporary) throw error;
        this.#failures += 1;
        if (attempt >= reconnect.attempts || this.#closing.signal.aborted) {
          throw new EppUnreachable('no session with the registry', { cause: error });
        }
        this.#log.info(
          { err: error },
          'a session with the registry could not be opened; trying again',
        );
      }
      await this.#waitToOpen(backoffMs(this.#failures, reconnect), signal);
    }
  }

  /** One at a time, so that a password is changed once and a full registry is not stormed. */
  #openInTurn(): Promise<Session> {
    const turn = this.#opening.then(async () => {
      const session = this.#takeIdle() ?? (await this.#open());
      this.#failures = 0;
      return session;
    });
    this.#opening = turn.catch(() => {});
    return turn;
  }

  async #open(): Promise<Session> {
    const connection = await this.#login.open(this.#closing.signal);
    const session: Session = { connection, keepAlive: undefined };
    connection.onClose(() => {
      clearTimeout(session.keepAlive);
      this.#idle = this.#idle.filter((each) => each !== session);
    });
    return session;
  }

  /** Until the wait is over, a session comes free, or the caller gives up. @throws EppUnreachable when it gives up */
  #waitToOpen(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#waiting = this.#waiting.filter((each) => each !== end);
        if (!signal.aborted) return resolve();
        reject(new EppUnreachable('the caller gave up while the registry was away'));
      };
      const timer = setTimeout(end, ms);
      // A session that came free while the registry refused another has woken nobody.
      if (signal.aborted || this.#idle.length > 0) return end();
      signal.addEventListener('abort', end, { once: true });
      this.#waiting.push(end);
    });
  }

  #takeIdle(): Session | undefined {
    for (let session = this.#idle.pop(); session; session = this.#idle.pop()) {
      clearTimeout(session.keepAlive);
      if (session.connection.isOpen()) return session;
    }
    return undefined;
  }

  #keep(session: Session): void {
    if (this.#closing.signal.aborted) {
      session.connection.close();
      return;
    }
    const sayHello = () => void this.#sayHello(session);
    session.keepAlive = setTimeout(sayHello, this.#options.keepAliveMs).unref();
    this.#idle.push(session);
    this.#waiting.shift()?.();
  }

  async #sayHello(session: Session): Promise<void> {
    if (!(await this.#places.enter(this.#closing.signal))) return;
    try {
      if (!this.#idle.includes(session)) return;
      this.#idle = this.#idle.filter((each) => each !== session);
      await session.connection.exchange(HELLO);
      this.#keep(session);
    } catch (error) {
      this.#log.info({ err: error }, 'an idle session with the registry has ended');
    } finally {
      this.#places.leave();
    }
  }
}

/** @throws EppUnreachable, EppUnanswered, EppUnreadable */
async function answerOf(
  connection: EppConnection,
  command: EppCommand,
  clTRID: string,
): Promise<EppResponse> {
  const document = await connection.exchange(commandDocument(command, clTRID));
  try {
    const response = readResponse(document);
    if (response.clTRID === null || response.clTRID === clTRID) return response;
    throw new Error('the answer is to another command');
  } catch (error) {
    connection.close();
    const message = 'the registry gave no answer that can be read';
    throw new EppUnreadable(message, document.bytes, { cause: error });
  }
}

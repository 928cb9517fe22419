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
  /** The number of sessions that the registry allows this process. */
  maxSessions: number;
  /** Milliseconds of idle time before a session sends `<hello>`; less than the registry's idle limit. */
  keepAliveMs: number;
  /** The back-off between attempts to open a session, in milliseconds. */
  reconnect: { firstMs: number; maxMs: number; attempts: number };
}

/** Options for sending a command. */
export interface Sending {
  clTRID: string;
  signal: AbortSignal;
  /** Called once the command has its session, just before it is sent. @throws an error to prevent sending */
  permit?: (() => Promise<void>) | undefined;
  /** Whether it goes ahead of all non-urgent commands that wait for a session. */
  isUrgent?: boolean;
}

/** The maximum number of commands waiting for a session; more would time out in the queue. */
const MAX_WAITING = 10_000;

interface Session {
  connection: EppConnection;
  keepAlive: NodeJS.Timeout | undefined;
}

/**
 * Sessions with one registry, opened on demand and kept open. After a session limit (2502) or outage, each attempt to
 * open one backs off longer, unless a session becomes free; only one command at a time opens a session.
 */
export class EppSessions {
  readonly #options: EppSessionsOptions;
  readonly #log: Logger;
  readonly #login: EppLogin;
  readonly #places: Bulkhead;
  readonly #closing = createSharedAbort();
  #idle: Session[] = [];
  #opening: Promise<unknown> = Promise.resolve();
  /** The number of consecutive failed attempts to open a session. */
  #failures = 0;
  /** Callbacks that wake the commands waiting to open a session, in order. */
  #waiting: (() => void)[] = [];

  constructor(options: EppSessionsOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
    this.#login = new EppLogin(options, log);
    this.#places = createBulkhead({ inside: options.maxSessions, waiting: MAX_WAITING });
  }

  /**
   * Sends a command on a free session, first come, first served, and returns the response, whatever its result code.
   * @throws EppUnreachable, EppUnanswered, EppRefused if the login is refused, or the error of `permit`
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
        // A caller that gave up may have passed the command on, so it must not be sent any more.
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

  /** Returns whether the registry offers this namespace; undefined before the first session. */
  offers(namespace: string): boolean | undefined {
    return this.#login.offers(namespace);
  }

  /** Logs out of every idle session. */
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

  /** Opens sessions one at a time, so that a password is changed once and a full registry is not flooded. */
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

  /** Waits for the back-off, a free session or an abort. @throws EppUnreachable if the caller aborts */
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
      // A session that became free while opening another one failed has woken nobody.
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

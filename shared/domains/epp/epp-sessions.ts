import { backoffMs } from '../../platform/concurrency/backoff.ts';
import { createBulkhead } from '../../platform/concurrency/bulkhead.ts';
import { createSharedAbort } from '../../platform/concurrency/deadline.ts';
import { randomBase62 } from '../../platform/ids.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { commandDocument, type EppCommand, HELLO, LOGOUT, login } from './epp-commands.ts';
import {
  type EppConnection,
  type EppEndpoint,
  type EppTimeouts,
  openEppConnection,
} from './epp-connection.ts';
import { EppRefused, EppUnreachable, EppUnreadable } from './epp-errors.ts';
import { type EppResponse, readGreeting, readResponse } from './epp-responses.ts';
import { endsSession } from './epp-result-codes.ts';

export interface EppSessionsOptions {
  endpoint: EppEndpoint;
  clientId: string;
  password: string;
  /** Takes the place of `password` at the next login; once the registry has it, both settings are good. */
  newPassword?: string | undefined;
  /** Sessions that the registry allows this process. */
  maxSessions: number;
  /** After so many milliseconds without a command a session says `<hello>`; less than the registry's idle limit. */
  keepAliveMs: number;
  timeouts: EppTimeouts;
  /** Waits between attempts to open a session, in milliseconds. */
  reconnect: { firstMs: number; maxMs: number; attempts: number };
}

/** Sessions with one registry, opened when they are needed and kept. */
export interface EppSessions {
  /**
   * Sends a command on a free session, in the order of the asking, and gives the response, whatever its result.
   * @throws EppUnreachable, EppUnanswered, or EppRefused when the login is refused
   */
  send(command: EppCommand, clTRID: string, signal: AbortSignal): Promise<EppResponse>;
  /** Says goodbye on every session. */
  close(): Promise<void>;
}

/** Commands that wait for a session; more would time out in the queue. */
const MAX_WAITING = 10_000;

interface Session {
  connection: EppConnection;
  keepAlive: NodeJS.Timeout | undefined;
}

/**
 * A pool of sessions. When the registry has too many (2502) or is away, opening one waits longer each time, unless
 * another session comes free; a session is opened by one command at a time.
 */
export function createEppSessions(options: EppSessionsOptions, log: Logger): EppSessions {
  const { endpoint, timeouts, maxSessions, reconnect } = options;
  const places = createBulkhead({ inside: maxSessions, waiting: MAX_WAITING });
  const closing = createSharedAbort();
  let idle: Session[] = [];
  let password = options.password;
  let newPassword = options.newPassword;
  let opening: Promise<unknown> = Promise.resolve();
  /** Attempts to open a session that failed in a row. */
  let failures = 0;
  let wakeOne: (() => void)[] = [];

  const keep = (session: Session) => {
    if (closing.signal.aborted) return session.connection.close();
    session.keepAlive = setTimeout(() => void sayHello(session), options.keepAliveMs).unref();
    idle.push(session);
    wakeOne.shift()?.();
  };
  const takeIdle = (): Session | undefined => {
    for (let session = idle.pop(); session; session = idle.pop()) {
      clearTimeout(session.keepAlive);
      if (session.connection.isOpen()) return session;
    }
    return undefined;
  };
  const sayHello = async (session: Session) => {
    if (!(await places.enter(closing.signal))) return;
    try {
      if (!idle.includes(session)) return;
      idle = idle.filter((each) => each !== session);
      await session.connection.exchange(HELLO);
      keep(session);
    } catch (error) {
      log.info({ err: error }, 'an idle session with the registry has ended');
    } finally {
      places.leave();
    }
  };

  /** Logs in. @throws EppRefused */
  const logIn = async (connection: EppConnection): Promise<void> => {
    const { objects, extensions } = readGreeting(connection.greeting);
    const command = login({
      clientId: options.clientId,
      password,
      newPassword,
      offered: { objects, extensions },
    });
    const response = readResponse(
      await connection.exchange(commandDocument(command, `login-${randomBase62(24)}`)),
    );
    if (response.code !== 1000) {
      connection.close();
      throw refusal(response);
    }
    if (newPassword !== undefined) {
      log.info('the registry took the new password');
      password = newPassword;
      newPassword = undefined;
    }
  };

  const openOne = async (): Promise<Session> => {
    const connection = await openEppConnection(endpoint, timeouts, closing.signal);
    try {
      await logIn(connection);
      return newSession(connection);
    } catch (error) {
      connection.close();
      if (newPassword === undefined || !isWrongPassword(error)) throw error;
    }
    // The change was made before, by a process that did not hear of it or did not live to tell.
    const another = await openEppConnection(endpoint, timeouts, closing.signal);
    const old = { password, newPassword };
    password = newPassword;
    newPassword = undefined;
    try {
      await logIn(another);
      return newSession(another);
    } catch (error) {
      another.close();
      ({ password, newPassword } = old);
      throw error;
    }
  };
  const newSession = (connection: EppConnection): Session => {
    const session: Session = { connection, keepAlive: undefined };
    connection.onClose(() => {
      clearTimeout(session.keepAlive);
      idle = idle.filter((each) => each !== session);
    });
    return session;
  };

  /** One at a time, so that a password is changed once and a full registry is not stormed. */
  const openInTurn = (): Promise<Session> => {
    const turn = opening.then(async () => {
      const session = takeIdle() ?? (await openOne());
      failures = 0;
      return session;
    });
    opening = turn.catch(() => {});
    return turn;
  };

  /** Until the wait is over, a session comes free, or the caller gives up. */
  const waitToOpen = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        wakeOne = wakeOne.filter((each) => each !== done);
        resolve();
      };
      const giveUp = () => {
        clearTimeout(timer);
        wakeOne = wakeOne.filter((each) => each !== done);
        reject(new EppUnreachable('the caller gave up while the registry was away'));
      };
      const timer = setTimeout(done, ms);
      if (signal.aborted) return giveUp();
      // One that came free while the registry refused another has woken nobody.
      if (idle.length > 0) return done();
      signal.addEventListener('abort', giveUp, { once: true });
      wakeOne.push(done);
    });

  const acquire = async (signal: AbortSignal): Promise<Session> => {
    for (let attempt = 1; ; attempt += 1) {
      const free = takeIdle();
      if (free) return free;
      try {
        return await openInTurn();
      } catch (error) {
        if (error instanceof EppRefused && !error.isTemporary) throw error;
        failures += 1;
        if (attempt >= reconnect.attempts || closing.signal.aborted) {
          throw new EppUnreachable('no session with the registry', { cause: error });
        }
        log.info({ err: error }, 'a session with the registry could not be opened; trying again');
      }
      await waitToOpen(backoffMs(failures, reconnect), signal);
    }
  };

  return {
    async send(command, clTRID, signal) {
      const hasPlace = !signal.aborted && !closing.signal.aborted && (await places.enter(signal));
      if (!hasPlace) throw new EppUnreachable('no session with the registry came free in time');
      try {
        const session = await acquire(signal);
        // Whoever gave up may have somebody else ask by now, so nothing leaves any more.
        if (signal.aborted) {
          keep(session);
          throw new EppUnreachable('the caller gave up before the command was sent');
        }
        const response = await answerOf(session.connection, command, clTRID);
        if (endsSession(response.code)) session.connection.close();
        else keep(session);
        return response;
      } finally {
        places.leave();
      }
    },
    async close() {
      closing.abort(new EppUnreachable('the sessions were closed'));
      const last = idle;
      idle = [];
      for (const { keepAlive } of last) clearTimeout(keepAlive);
      await Promise.allSettled(
        last.map(async ({ connection }) => {
          await connection.exchange(commandDocument(LOGOUT, 'logout'));
          connection.close();
        }),
      );
    },
  };
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

/** A response as the error that it is. */
export function refusal({ code, message, svTRID }: EppResponse): EppRefused {
  return new EppRefused(code, message, svTRID);
}

/** Whether the registry refused a login for what it was told about who we are. */
export const isWrongPassword = (error: unknown): boolean =>
  error instanceof EppRefused && (error.code === 2200 || error.code === 2501);

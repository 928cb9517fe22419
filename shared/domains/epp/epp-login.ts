import os from 'node:os';
import { randomBase62 } from '../../platform/ids.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { commandDocument, login, understood } from './epp-commands.ts';
import {
  type EppConnection,
  type EppEndpoint,
  type EppTimeouts,
  openEppConnection,
} from './epp-connection.ts';
import { isWrongPassword } from './epp-errors.ts';
import type { LoginEvent } from './epp-objects.ts';
import { readGreeting, readLoginEvents, readResponse, refusal } from './epp-responses.ts';

interface Credentials {
  password: string;
  /** Takes the place of `password` at the next login; once the registry has it, both settings are good. */
  newPassword?: string | undefined;
}

export interface EppLoginOptions extends Credentials {
  endpoint: EppEndpoint;
  timeouts: EppTimeouts;
  clientId: string;
  /** Told what the registry has to say about a login; must not throw. */
  noticed?: ((event: LoginEvent) => void) | undefined;
}

/** What registries are told of us (RFC 8807). */
const USER_AGENT = {
  app: 'Domain Marketplace',
  tech: `Node.js ${process.version}`,
  os: `${os.type()} ${os.release()}`,
};

/** Opens connections to a registry and logs in, one at a time, so that a password is changed once. */
export class EppLogin {
  readonly #options: EppLoginOptions;
  readonly #log: Logger;
  #credentials: Credentials;
  #services: readonly string[] | undefined;

  constructor(options: EppLoginOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
    this.#credentials = { password: options.password, newPassword: options.newPassword };
  }

  /** Whether the registry offered, at the last login, what has this namespace; undefined before the first one. */
  offers(namespace: string): boolean | undefined {
    return this.#services?.includes(namespace);
  }

  /**
   * A connection on which commands can be sent.
   * @throws EppUnreachable, EppUnanswered, EppRefused, or the reason of `signal`
   */
  async open(signal: AbortSignal): Promise<EppConnection> {
    const { newPassword } = this.#credentials;
    try {
      return await this.#logIn(this.#credentials, signal);
    } catch (error) {
      if (newPassword === undefined || !isWrongPassword(error)) throw error;
    }
    // The change was made before, by a process that did not hear of it or did not live to tell.
    return this.#logIn({ password: newPassword }, signal);
  }

  async #logIn(credentials: Credentials, signal: AbortSignal): Promise<EppConnection> {
    const { endpoint, timeouts, clientId } = this.#options;
    const connection = await openEppConnection(endpoint, timeouts, signal);
    try {
      const offered = readGreeting(connection.greeting);
      const command = login({ clientId, ...credentials, userAgent: USER_AGENT, offered });
      const document = commandDocument(command, `login-${randomBase62(24)}`);
      const response = readResponse(await connection.exchange(document));
      this.#tell(readLoginEvents(response));
      if (response.code !== 1000) throw refusal(response);
      const { objects, extensions } = understood(offered);
      this.#services = [...objects, ...extensions];
    } catch (error) {
      connection.close();
      throw error;
    }
    const { password, newPassword } = credentials;
    if (newPassword !== undefined) this.#log.info('the registry took the new password');
    this.#credentials = { password: newPassword ?? password };
    return connection;
  }

  #tell(events: readonly LoginEvent[]): void {
    for (const event of events) {
      this.#log.warn({ event }, 'the registry warns about our login');
      this.#options.noticed?.(event);
    }
  }
}

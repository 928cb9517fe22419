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
  /** Replaces `password` at the next login. After that, the old and the new setting both work. */
  newPassword?: string | undefined;
}

export interface EppLoginOptions extends Credentials {
  endpoint: EppEndpoint;
  timeouts: EppTimeouts;
  clientId: string;
  /** Receives the registry's login warnings and errors; must not throw. */
  noticed?: ((event: LoginEvent) => void) | undefined;
}

/** The client software that we report to registries (RFC 8807). */
const USER_AGENT = {
  app: 'Domain Marketplace',
  tech: `Node.js ${process.version}`,
  os: `${os.type()} ${os.release()}`,
};

/** Opens and logs in connections to a registry, one at a time, so that the password is changed only once. */
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

  /** Returns whether the registry offered this namespace at the last login; undefined before the first login. */
  offers(namespace: string): boolean | undefined {
    return this.#services?.includes(namespace);
  }

  /**
   * Opens a connection that is ready for commands.
   * @throws EppUnreachable, EppUnanswered, EppRefused, or the abort reason of `signal`
   */
  async open(signal: AbortSignal): Promise<EppConnection> {
    const { newPassword } = this.#credentials;
    try {
      return await this.#logIn(this.#credentials, signal);
    } catch (error) {
      if (newPassword === undefined || !isWrongPassword(error)) throw error;
    }
    // An earlier process changed the password but got no response, or did not live to record it.
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

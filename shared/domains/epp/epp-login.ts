import { randomBase62 } from '../../platform/ids.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import { commandDocument, login } from './epp-commands.ts';
import {
  type EppConnection,
  type EppEndpoint,
  type EppTimeouts,
  openEppConnection,
} from './epp-connection.ts';
import { isWrongPassword } from './epp-errors.ts';
import { readGreeting, readResponse, refusal } from './epp-responses.ts';

interface Credentials {
  password: string;
  /** Takes the place of `password` at the next login; once the registry has it, both settings are good. */
  newPassword?: string | undefined;
}

export interface EppLoginOptions extends Credentials {
  endpoint: EppEndpoint;
  timeouts: EppTimeouts;
  clientId: string;
}

/** Opens connections to a registry and logs in, one at a time, so that a password is changed once. */
export class EppLogin {
  readonly #options: EppLoginOptions;
  readonly #log: Logger;
  #credentials: Credentials;

  constructor(options: EppLoginOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
    this.#credentials = { password: options.password, newPassword: options.newPassword };
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
      const command = login({
        clientId,
        ...credentials,
        offered: readGreeting(connection.greeting),
      });
      const document = commandDocument(command, `login-${randomBase62(24)}`);
      const response = readResponse(await connection.exchange(document));
      if (response.code !== 1000) throw refusal(response);
    } catch (error) {
      connection.close();
      throw error;
    }
    const { password, newPassword } = credentials;
    if (newPassword !== undefined) this.#log.info('the registry took the new password');
    this.#credentials = { password: newPassword ?? password };
    return connection;
  }
}

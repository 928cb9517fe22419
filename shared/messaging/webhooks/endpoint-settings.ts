import { randomBytes } from 'node:crypto';
import type { Config } from '../../platform/config/config.ts';
import type { FieldError } from '../../platform/errors.ts';
import { describeForbiddenTarget } from '../../platform/outbound/http-client.ts';
import { EVENT_TYPES } from '../event-types/event.ts';
import { DEFAULT_ENDPOINT, type EndpointOwner, type EndpointSettings } from './endpoint.ts';
import { describeNonStandardSecret } from './webhook-signature.ts';

export const MAX_URL_LENGTH = 2_048;
export const MIN_SECRET_LENGTH = 16;
export const MAX_SECRET_LENGTH = 256;
/** The minimum length of a named endpoint's secret: 24 characters have at least 24 bytes. */
export const MIN_NAMED_SECRET_LENGTH = 24;
export const MAX_HEADERS = 5;
export const MAX_HEADER_LENGTH = 1_024;
export const MAX_EVENT_TYPES = 50;
export const MAX_PER_SECOND = 1_000;

/** A display name. It cannot start like an id, so that an endpoint can be looked up by either. */
export const NAME_PATTERN = '^(?!whe_)[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$';

/** A token (RFC 9110 section 5.6.2), except `__proto__`, which would set an object's prototype. */
const HEADER_NAME = /^(?!__proto__$)[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/i;
/** Visible ASCII, with spaces inside. */
const HEADER_VALUE = /^[!-~](?:[ -~]*[!-~])?$/;
/** Headers that we set, hop-by-hop headers (RFC 9110, section 7.6.1), and headers that frame a message. */
const RESERVED_HEADER =
  /^(?:x-service-.*|webhook-.*|content-.*|user-agent|host|connection|proxy-.*|keep-alive|te|trailer|transfer-encoding|upgrade|expect|date|accept-encoding|traceparent|tracestate)$/i;

const HISTORY_TYPES: readonly string[] = EVENT_TYPES.filter((type) => type !== 'webhook.ping');
/** The values allowed in `event_types`: the types of the history, and one pattern per prefix. */
export const EVENT_PATTERNS: readonly string[] = [
  ...new Set(HISTORY_TYPES.map((type) => `${type.split('.')[0]}.*`)),
  ...HISTORY_TYPES,
];

/** Generates a signing secret: `whsec_` and 32 random bytes in base64. */
export function makeSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Returns the errors in an endpoint URL. */
export function urlFaults(
  url: string,
  { environment }: EndpointOwner,
  config: Config,
): FieldError[] {
  const message =
    url.length > MAX_URL_LENGTH
      ? `must not be longer than ${MAX_URL_LENGTH} characters`
      : describeForbiddenTarget(url, {
          allowPrivate: config.webhookAllowPrivate,
          requireHttps: environment === 'LIVE',
        });
  return message === null ? [] : [{ path: '/url', message }];
}

/** Returns the errors in the secret of the default endpoint, which may be any text of this length (SPEC, Webhooks). */
export function secretFaults(secret: string, minLength = MIN_SECRET_LENGTH): FieldError[] {
  const length = [...secret].length;
  if (length >= minLength && length <= MAX_SECRET_LENGTH) return [];
  const message = `must have ${minLength} to ${MAX_SECRET_LENGTH} characters`;
  return [{ path: '/secret', message }];
}

/** Returns the errors in the secret of another endpoint, which has to suit libraries of Standard Webhooks too. */
export function namedSecretFaults(secret: string): FieldError[] {
  const faults = secretFaults(secret, MIN_NAMED_SECRET_LENGTH);
  if (faults.length > 0) return faults;
  const message = describeNonStandardSecret(secret);
  return message === null ? [] : [{ path: '/secret', message }];
}

/** Returns the errors in a name and in a list of event types. */
export function settingsFaults(
  { name, eventTypes }: Pick<EndpointSettings, 'name' | 'eventTypes'>,
  before: { name: string } | null,
): FieldError[] {
  const faults: FieldError[] = [];
  if (before?.name === DEFAULT_ENDPOINT && name !== DEFAULT_ENDPOINT) {
    faults.push({
      path: '/name',
      message: 'must stay default: it is the endpoint of PUT /webhooks',
    });
  }
  return [...faults, ...typeFaults(eventTypes)];
}

/** Returns the errors in a list of event types. */
export function typeFaults(eventTypes: readonly string[] | null): FieldError[] {
  return [...(eventTypes ?? []).entries()]
    .filter(([, type]) => !EVENT_PATTERNS.includes(type))
    .map(([at]) => ({
      path: `/event_types/${at}`,
      message: `must be an event type or a pattern: ${EVENT_PATTERNS.join(', ')}`,
    }));
}

/** A partner's custom headers by name; null keeps the current value. */
export type HeadersInput = Readonly<Record<string, string | null>>;

/**
 * Returns the given headers with lower-case names; a null value is replaced by the value in `before`. `faults` lists
 * the errors in them.
 */
export function mergeHeaders(
  given: HeadersInput,
  before: Readonly<Record<string, string>>,
): { headers: Record<string, string>; faults: FieldError[] } {
  const headers: Record<string, string> = {};
  const faults: FieldError[] = [];
  const fault = (name: string, message: string) => {
    const pointer = name.replaceAll('~', '~0').replaceAll('/', '~1');
    faults.push({ path: `/headers/${pointer}`, message });
  };
  if (Object.keys(given).length > MAX_HEADERS) {
    faults.push({ path: '/headers', message: `must not have more than ${MAX_HEADERS} entries` });
  }
  for (const [spelled, value] of Object.entries(given)) {
    const name = spelled.toLowerCase();
    const known = value ?? (Object.hasOwn(before, name) ? before[name] : undefined);
    if (!HEADER_NAME.test(spelled)) fault(spelled, 'must be the name of a header');
    else if (RESERVED_HEADER.test(name)) fault(spelled, 'is a header that we set');
    else if (Object.hasOwn(headers, name)) fault(spelled, 'is there twice');
    else if (known === undefined) fault(spelled, 'must have a value, since there is none to keep');
    else if (known.length > MAX_HEADER_LENGTH || !HEADER_VALUE.test(known)) {
      fault(spelled, `must be 1 to ${MAX_HEADER_LENGTH} characters of visible ASCII`);
    } else headers[name] = known;
  }
  return { headers, faults };
}

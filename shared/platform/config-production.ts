/** The password in the addresses of `.env.example`. */
const EXAMPLE_PASSWORD = ':change-me@';
/** Of 32 random bytes so many differ, but for one key in a thousand million. */
const FEWEST_DIFFERENT_BYTES = 17;

/** What production looks at; the names are those of `Config`. */
export interface ProductionSettings {
  baseUrl: string;
  databaseUrl: string;
  databaseReadUrl: string;
  redisUrl: string;
  rateLimits: string;
  stripeApiUrl: string;
  stripeSecretKey: string;
  transferPolicyLive: string;
  trustProxy: string;
}

/**
 * What is good enough for a developer's machine and would be a hole, or a loss, in production: a line each.
 * No value is quoted that may be a secret.
 */
export function productionFaults(settings: ProductionSettings): string[] {
  const faults: string[] = [];
  if (settings.baseUrl === '') {
    faults.push('BASE_URL is required in production: the address that buyers and partners see');
  } else if (!/^https:\/\/[^/]/.test(settings.baseUrl)) {
    faults.push('BASE_URL must start with https:// in production');
  }
  if (settings.rateLimits === 'off') faults.push('RATE_LIMITS=off is refused in production');
  if (settings.stripeApiUrl) faults.push('STRIPE_API_URL is refused in production');
  if (/^(sk|rk)_test_/.test(settings.stripeSecretKey)) {
    faults.push(
      'STRIPE_SECRET_KEY is a test key, which moves no money: production needs a live one',
    );
  }
  if (settings.transferPolicyLive === 'automatic') {
    faults.push(
      'TRANSFER_POLICY_LIVE=automatic is refused in production: no registrar is connected that could move a LIVE domain. Leave it at manual, and push and confirm transfers in the console or with the ops commands',
    );
  }
  for (const [name, url] of [
    ['DATABASE_URL', settings.databaseUrl],
    ['DATABASE_READ_URL', settings.databaseReadUrl],
    ['REDIS_URL', settings.redisUrl],
  ] as const) {
    if (url.includes(EXAMPLE_PASSWORD)) faults.push(examplePassword(name));
  }
  if (settings.trustProxy.split(',').some((address) => /\/0+$/.test(address.trim()))) {
    faults.push('TRUST_PROXY must not trust every address: name your proxies, or count them');
  }
  return faults;
}

const examplePassword = (name: string) =>
  `${name} has the password of .env.example: choose one of your own`;

/**
 * Whether 32 bytes were typed or made up rather than drawn at random: few different ones, nothing but
 * readable characters, or each one step from the one before.
 */
export function isGuessableKey(key: Buffer): boolean {
  const bytes = [...key];
  const steps = new Set(bytes.slice(1).map((byte, at) => (byte - (bytes[at] ?? 0) + 256) % 256));
  return (
    new Set(bytes).size < FEWEST_DIFFERENT_BYTES ||
    steps.size === 1 ||
    bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
  );
}

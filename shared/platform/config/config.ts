import { createPrivateKey, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isValidBIC, isValidIBAN } from 'ibantools';
import { MAIL_SECTIONS } from './mail-variables.ts';
import { MARKETPLACE_SECTIONS } from './marketplace-variables.ts';
import { PROCESS_SECTIONS } from './process-variables.ts';
import { REGISTRAR_SECTIONS } from './registrar-variables.ts';
import { TUNING, type Tuning } from './tuning.ts';
import { WORKER_SECTIONS } from './worker-variables.ts';

/** All variables, in the order of `docs/configuration.md`; each area has its own file. */
export const SECTIONS = [
  ...PROCESS_SECTIONS,
  ...MARKETPLACE_SECTIONS,
  ...REGISTRAR_SECTIONS,
  ...WORKER_SECTIONS,
  ...MAIL_SECTIONS,
] as const;

type Sections = (typeof SECTIONS)[number]['variables'];
type Together<T> = (T extends unknown ? (each: T) => void : never) extends (all: infer A) => void
  ? A
  : never;
type Variables = Together<Sections>;

/** The variables of all sections. */
export const VARIABLES = Object.assign(
  {},
  ...SECTIONS.map(({ variables }) => variables),
) as Variables;

type Parsed = { -readonly [K in keyof Variables]: Variables[K]['fallback'] };

/** A process's configuration: parsed, cross-checked and frozen once, at startup. */
export interface Config
  extends Readonly<
      Omit<
        Parsed,
        | 'secretsKey'
        | 'secretsKeyPrevious'
        | 'webhookAllowPrivate'
        | 'rateLimits'
        | 'mail'
        | 'tuning'
      >
    >,
    Readonly<Tuning> {
  readonly secretsKey: Buffer;
  readonly secretsKeyPrevious: readonly Buffer[];
  readonly webhookAllowPrivate: boolean;
  readonly rateLimits: boolean;
  /** Whether we create and send mail at all. */
  readonly mail: boolean;
}

export type Environment = 'SANDBOX' | 'LIVE';

/** Whether people may use the accounts of the demo marketplace. */
export function allowsDemoAccounts({ nodeEnv }: Pick<Config, 'nodeEnv'>): boolean {
  return nodeEnv !== 'production';
}

/** All configuration errors at once, one per line, so that one failed start shows every one of them. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The configuration is wrong:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

const SECRETS_KEY_BYTES = 32;
/** The SECRETS_KEY for processes that neither decrypt nor sign anything. */
const NO_KEY = 'none';

/** Where lookups go when LOOKUP_REGISTRIES is empty. */
const REGISTRIES = { production: 'network', development: 'demo', test: 'offline' } as const;

/**
 * Reads the configuration from `env`. In development, unset addresses default to the services that `npm start` runs,
 * and a missing SECRETS_KEY is generated and stored under DATA_DIR. `makesKey: false` prevents that: a command that
 * seals something with its own new key would write data that no service can open.
 * @throws ConfigError that lists every wrong variable
 */
export function loadConfig(
  env: NodeJS.ProcessEnv = process.env,
  { makesKey = true }: { makesKey?: boolean } = {},
): Config {
  const faults: string[] = [];
  const parsed = parseAll(env, faults);
  const production = parsed.nodeEnv === 'production';

  if (!production) Object.assign(parsed, withLocalServices(parsed));
  if (!parsed.databaseUrl && !env.DATABASE_URL)
    faults.push('DATABASE_URL is required (or run `npm start`, which brings Postgres)');
  if (!parsed.redisUrl && !env.REDIS_URL)
    faults.push('REDIS_URL is required (or run `npm start`, which brings Redis)');
  if (parsed.databasePooler !== 'none' && !parsed.databaseDirectUrl)
    faults.push('DATABASE_DIRECT_URL is required with DATABASE_POOLER: a pooler cannot LISTEN');
  if (production) faults.push(...productionFaults(parsed));
  parsed.databaseDirectUrl ||= parsed.databaseUrl;
  parsed.baseUrl = (parsed.baseUrl || `http://localhost:${parsed.port}`).replace(/\/+$/, '');
  if (!isBaseUrl(parsed.baseUrl))
    faults.push(
      'BASE_URL must start with http:// or https://, and have no user, query or fragment',
    );

  if (parsed.metricsPort !== 0 && parsed.metricsPort === parsed.port)
    faults.push('METRICS_PORT must differ from PORT, which the internet reaches');
  if (parsed.traceEndpoint && !/^https?:\/\/[^/]/.test(parsed.traceEndpoint))
    faults.push('OTEL_EXPORTER_OTLP_ENDPOINT must start with http:// or https://');
  const { tuning, ...settings } = parsed;
  const { outboxLeaseMs } = { ...TUNING, ...tuning };
  if (settings.webhookTimeoutMs >= outboxLeaseMs)
    faults.push(`WEBHOOK_TIMEOUT_MS must be below ${outboxLeaseMs}: after that, jobs run again`);
  checkPayments(parsed, faults);
  checkRegistrar(parsed, faults);
  checkEmbeddings(parsed, faults);
  checkTax(parsed, faults);
  checkPayouts(parsed, faults);
  checkLookups(parsed, production, faults);
  checkMail(parsed, production, faults);
  const secretsKey = readSecretsKey(parsed, { production, makesKey }, faults);
  const secretsKeyPrevious = parsed.secretsKeyPrevious.map((text) => {
    const key = Buffer.from(text, 'base64');
    if (key.length !== SECRETS_KEY_BYTES)
      faults.push('SECRETS_KEY_PREVIOUS must be keys of 32 bytes as base64, comma-separated');
    return key;
  });
  if (faults.length > 0) throw new ConfigError(faults);

  return Object.freeze({
    ...TUNING,
    ...tuning,
    ...settings,
    secretsKey,
    secretsKeyPrevious,
    paymentsLive: parsed.paymentsLive || (production ? '' : 'sandbox'),
    lookupRegistries: parsed.lookupRegistries || REGISTRIES[parsed.nodeEnv],
    // Development serves some pages without a sign-in (mail, sandbox helpers): only this machine may reach them.
    host: parsed.host || (production ? '' : '127.0.0.1'),
    rateLimits: parsed.rateLimits === 'on',
    mail: parsed.mail === 'on',
    webhookAllowPrivate: parsed.webhookAllowPrivate
      ? parsed.webhookAllowPrivate === 'true'
      : !production,
  });
}

/** For processes that open stored secrets or sign tokens. @throws ConfigError for SECRETS_KEY=none */
export function requireSecretsKey({ secretsKey }: Pick<Config, 'secretsKey'>): void {
  if (secretsKey.length > 0) return;
  throw new ConfigError([
    'SECRETS_KEY=none is for the release and for workers of other queues than webhooks and mail; this process needs the key',
  ]);
}

/** For processes that send mail. @throws ConfigError for MAIL_URL=none */
export function requireMailServer({ mail, mailUrl }: Pick<Config, 'mail' | 'mailUrl'>): void {
  if (!mail || mailUrl !== 'none') return;
  throw new ConfigError([
    'MAIL_URL=none is for processes that send no email; workers of the queue mail need the SMTP server',
  ]);
}

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text) || !/^https?:\/\/[^/]/.test(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '' && !/[?#]/.test(text);
}

function parseAll(env: NodeJS.ProcessEnv, faults: string[]): Parsed {
  const entries = Object.entries(VARIABLES).map(([key, variable]) => {
    const text = env[variable.name];
    if (text === undefined || text === '') return [key, variable.fallback];
    try {
      return [key, variable.parse(text)];
    } catch (error) {
      faults.push(`${variable.name} ${(error as Error).message}`);
      return [key, variable.fallback];
    }
  });
  return Object.fromEntries(entries) as Parsed;
}

/** Catches a setting that would make up lookup answers in production. */
function checkLookups(parsed: Parsed, production: boolean, faults: string[]): void {
  if (production && !['', 'network'].includes(parsed.lookupRegistries))
    faults.push('LOOKUP_REGISTRIES must be network in production: the others make up answers');
}

/** Without its keys, Stripe would only fail at the first buyer. Messages never quote a key. */
function checkPayments(parsed: Parsed, faults: string[]): void {
  if (parsed.paymentsLive !== 'stripe') return;
  if (!/^(sk|rk)_\w+$/.test(parsed.stripeSecretKey))
    faults.push('STRIPE_SECRET_KEY must be a key of Stripe (sk_... or rk_...)');
  if (!/^whsec_[\w+/=]+$/.test(parsed.stripeWebhookSecret))
    faults.push(
      'STRIPE_WEBHOOK_SECRET must be the signing secret of the webhook endpoint (whsec_...)',
    );
}

/** An unreachable registry would only show up as stuck transfers. Messages quote neither password nor key. */
function checkRegistrar(parsed: Parsed, faults: string[]): void {
  if (parsed.registrarLive === 'manual') return;
  const required = [
    ['EPP_HOST', parsed.eppHost],
    ['EPP_CLIENT_ID', parsed.eppClientId],
    ['EPP_PASSWORD', parsed.eppPassword],
  ] as const;
  for (const [name, value] of required) {
    if (value === '')
      faults.push(`${name} is required with REGISTRAR_LIVE=${parsed.registrarLive}`);
  }
  if ((parsed.eppCertificate === '') !== (parsed.eppKey === ''))
    faults.push('Set EPP_CERTIFICATE and EPP_KEY together');
  if (parsed.eppKey === '') return;
  try {
    createPrivateKey(pemOf(parsed.eppKey));
  } catch {
    faults.push('EPP_KEY must be a private key as PEM, or base64 of one');
  }
}

/** A broken mail setup would only show up as buyers who hear nothing. Messages quote neither address nor key. */
function checkMail(parsed: Parsed, production: boolean, faults: string[]): void {
  if (parsed.mail === 'off') return;
  if (production && parsed.mailUrl === '') {
    faults.push(
      'MAIL_URL is required in production, or MAIL=off to send no email (`none` for processes other than worker-mail)',
    );
  }
  if (parsed.mailUrl !== '' && parsed.mailUrl !== 'none' && parsed.mailFrom === '')
    faults.push('MAIL_FROM is required with MAIL_URL');
  if (!parsed.mailDkimKey) return;
  if (!/^[\w.-]+$/.test(parsed.mailDkimSelector))
    faults.push('MAIL_DKIM_SELECTOR is required with MAIL_DKIM_KEY');
  try {
    createPrivateKey(pemOf(parsed.mailDkimKey));
  } catch {
    faults.push('MAIL_DKIM_KEY must be a private key as PEM, or base64 of one');
  }
}

/** Reads a PEM key or certificate from an environment variable: with `\n` for line breaks, or as base64. */
export function pemOf(text: string): string {
  return text.includes('-----BEGIN')
    ? text.replaceAll('\\n', '\n')
    : Buffer.from(text, 'base64').toString();
}

/** Without the rate of the seller's own country, nobody would be charged VAT. */
function checkTax({ taxProfile, sellerCountry, vatRates }: Parsed, faults: string[]): void {
  if (taxProfile !== 'vat') return;
  if (!sellerCountry) faults.push('SELLER_COUNTRY is required with TAX_PROFILE=vat');
  else if (vatRates[sellerCountry] === undefined)
    faults.push(`VAT_RATES must have a rate for SELLER_COUNTRY (${sellerCountry})`);
}

function checkPayouts({ payoutIban, payoutBic, sellerName }: Parsed, faults: string[]): void {
  if (payoutBic && !isValidBIC(payoutBic)) faults.push('PAYOUT_BIC must be a BIC');
  if (!payoutIban) return;
  if (!isValidIBAN(payoutIban)) faults.push('PAYOUT_IBAN must be an IBAN without spaces');
  if (!/^[A-Za-z0-9/\-?:().,'+ ]{1,70}$/.test(sellerName)) {
    faults.push(
      "SELLER_NAME must have at most 70 Latin letters, digits, spaces and / - ? : ( ) . , ' + for bank files",
    );
  }
}

function checkEmbeddings(parsed: Parsed, faults: string[]): void {
  if (!parsed.embeddingsUrl) return;
  if (!/^https?:\/\/[^/]/.test(parsed.embeddingsUrl))
    faults.push('EMBEDDINGS_URL must start with http:// or https://');
  if (!parsed.embeddingsModel) faults.push('EMBEDDINGS_MODEL is required with EMBEDDINGS_URL');
}

/** Reads the database addresses that a running `npm start` wrote, so that commands find them without settings. */
function withLocalServices(parsed: Parsed): Pick<Parsed, 'databaseUrl' | 'redisUrl'> {
  let local: { databaseUrl?: string; redisUrl?: string } = {};
  try {
    local = JSON.parse(readFileSync(join(parsed.dataDir, 'services.json'), 'utf8'));
  } catch {
    // No local services, so both variables must be set.
  }
  return {
    databaseUrl: parsed.databaseUrl || (local.databaseUrl ?? ''),
    redisUrl: parsed.redisUrl || (local.redisUrl ?? ''),
  };
}

function readSecretsKey(
  { secretsKey: text, dataDir }: { secretsKey: string; dataDir: string },
  { production, makesKey }: { production: boolean; makesKey: boolean },
  faults: string[],
): Buffer {
  if (text === NO_KEY) return Buffer.alloc(0);
  if (text) {
    const key = Buffer.from(text, 'base64');
    if (key.length !== SECRETS_KEY_BYTES) faults.push('SECRETS_KEY must be 32 bytes as base64');
    else if (production && isGuessableKey(key))
      faults.push(
        'SECRETS_KEY can be guessed: make a random one (openssl rand -base64 32). If it has been in use, keep it in SECRETS_KEY_PREVIOUS only until `secrets:reencrypt` is done',
      );
    return key;
  }
  if (production) {
    faults.push('SECRETS_KEY is required in production (openssl rand -base64 32)');
    return Buffer.alloc(SECRETS_KEY_BYTES);
  }
  const file = join(dataDir, 'secrets.key');
  if (!makesKey && !existsSync(file)) {
    faults.push(`SECRETS_KEY is required, since DATA_DIR has no key (${file})`);
    return Buffer.alloc(SECRETS_KEY_BYTES);
  }
  try {
    return readOrMakeKeyFile(file, dataDir);
  } catch (error) {
    const [reason] = (error as Error).message.split(',');
    faults.push(`DATA_DIR must be a folder that can be written, unlike ${dataDir} (${reason})`);
    return Buffer.alloc(SECRETS_KEY_BYTES);
  }
}

/** With `wx`, the first writer wins when two processes start at once. */
function readOrMakeKeyFile(file: string, dataDir: string): Buffer {
  try {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(file, randomBytes(SECRETS_KEY_BYTES).toString('base64'), {
      flag: 'wx',
      mode: 0o600,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return Buffer.from(readFileSync(file, 'utf8'), 'base64');
}

/** The password in the addresses of `.env.example`. */
const EXAMPLE_PASSWORD = ':change-me@';
/** All but one in a billion random keys of 32 bytes have at least this many different bytes. */
const FEWEST_DIFFERENT_BYTES = 17;

/** The settings that only production checks, by their names in `Config`. */
interface ProductionSettings {
  baseUrl: string;
  databaseUrl: string;
  databaseReadUrl: string;
  databaseDirectUrl: string;
  databaseOwnerUrl: string;
  redisUrl: string;
  mailUrl: string;
  rateLimits: string;
  tuning: object;
  stripeSecretKey: string;
  registrarLive: string;
  transferPolicyLive: string;
  trustProxy: string;
}

/**
 * Lists settings that suit a developer's machine but would be a security hole or lose data in production, one line
 * each. Never quotes a value that may be a secret.
 */
function productionFaults(settings: ProductionSettings): string[] {
  const faults: string[] = [];
  if (settings.baseUrl === '') {
    faults.push('BASE_URL is required in production: the address that buyers and partners see');
  } else if (!/^https:\/\/[^/]/.test(settings.baseUrl)) {
    faults.push('BASE_URL must start with https:// in production');
  }
  if (settings.rateLimits === 'off') faults.push('RATE_LIMITS=off is refused in production');
  if (Object.keys(settings.tuning).length > 0) faults.push('TUNING is refused in production');
  if (/^(sk|rk)_test_/.test(settings.stripeSecretKey)) {
    faults.push(
      'STRIPE_SECRET_KEY is a test key, which moves no money: production needs a live one',
    );
  }
  if (settings.registrarLive === 'epp-demo') {
    faults.push('REGISTRAR_LIVE=epp-demo is refused in production: no domain would move');
  }
  if (settings.transferPolicyLive === 'automatic' && settings.registrarLive !== 'epp') {
    faults.push(
      'TRANSFER_POLICY_LIVE=automatic needs REGISTRAR_LIVE=epp in production: no registrar is connected that could move a LIVE domain. Leave it at manual, and push and confirm transfers in the console or with the ops commands',
    );
  }
  for (const [name, url] of [
    ['DATABASE_URL', settings.databaseUrl],
    ['DATABASE_READ_URL', settings.databaseReadUrl],
    ['DATABASE_DIRECT_URL', settings.databaseDirectUrl],
    ['DATABASE_OWNER_URL', settings.databaseOwnerUrl],
    ['REDIS_URL', settings.redisUrl],
    ['MAIL_URL', settings.mailUrl],
  ] as const) {
    if (url.includes(EXAMPLE_PASSWORD)) faults.push(examplePassword(name));
  }
  if (settings.trustProxy.split(',').some((address) => /\/0+$/.test(address.trim()))) {
    faults.push('TRUST_PROXY must not trust every address: name your proxies, or count them');
  }
  return faults;
}

/**
 * Warns about production settings that let a single person do harm, one line each, for the log and the console.
 */
export function productionWarnings({
  nodeEnv,
  staffSecondFactor,
  payoutApprovalOverCents,
}: Pick<Config, 'nodeEnv' | 'staffSecondFactor' | 'payoutApprovalOverCents'>): string[] {
  if (nodeEnv !== 'production') return [];
  const warnings: string[] = [];
  if (staffSecondFactor === 'optional') {
    warnings.push('Staff can sign in with a password alone. Set STAFF_SECOND_FACTOR=required.');
  }
  if (payoutApprovalOverCents === 0) {
    warnings.push('One person alone can pay out any amount. Set PAYOUT_APPROVAL_OVER_CENTS.');
  }
  return warnings;
}

const examplePassword = (name: string) =>
  `${name} has the password of .env.example: choose one of your own`;

/**
 * Whether 32 bytes look typed or made up rather than random: few different bytes, only printable characters, or a
 * constant step from each byte to the next.
 */
function isGuessableKey(key: Buffer): boolean {
  const bytes = [...key];
  const steps = new Set(bytes.slice(1).map((byte, at) => (byte - (bytes[at] ?? 0) + 256) % 256));
  return (
    new Set(bytes).size < FEWEST_DIFFERENT_BYTES ||
    steps.size === 1 ||
    bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
  );
}

/** Who a registry says runs a registration; a field is null when it is not told or redacted. */
export interface RegistrarOfRecord {
  name: string | null;
  /** Number in IANA's list of registrars; country registries have registrars without one. */
  ianaId: number | null;
}

/** Who holds a name, as far as it is published. */
export interface PublishedRegistrant {
  name: string | null;
  organization: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
}

/** What a registry tells of a domain, whichever protocol it was asked by. */
export interface RegistryRecord {
  /** A-labels. */
  domain: string;
  registered: boolean;
  source: 'rdap' | 'whois';
  registrar: RegistrarOfRecord | null;
  /** Null when nothing of it is published. */
  registrant: PublishedRegistrant | null;
  dates: { created: Date | null; updated: Date | null; expires: Date | null };
  /** Host names as A-labels, in the registry's order. */
  nameservers: readonly string[];
  /** In the words of RDAP (RFC 9083, 10.2.2): `active`, `client transfer prohibited`. */
  status: readonly string[];
  /** Whether the delegation is signed; null when the registry does not say. */
  dnssec: boolean | null;
}

/** The answer of a lookup. */
export interface LookupAnswer extends RegistryRecord {
  /** When the registry said so. */
  fetchedAt: Date;
  /** Whether it was said to an earlier caller. */
  cached: boolean;
}

/** Whether a name is taken; `unknown` when no registry said so in time and readably. */
export type Registration = 'registered' | 'available' | 'unknown';

/**
 * Asks the registries of the world. One question per domain is under way at a time, answers are kept for a
 * while, and no registry is asked more than it likes. Domains are A-labels, see `parseDomain`.
 */
export interface Lookups {
  /**
   * All that is told of a domain; an abort ends the wait, not the question.
   * @throws not_found when no registry serves the TLD, service_unavailable when none answered in time or it
   * refused to, unreadable_answer (with the answer, 32 kB of it at most) when what it answered can't be read
   */
  find(domain: string, signal?: AbortSignal): Promise<LookupAnswer>;
  /** Whether a domain is registered, within `budgetMs` milliseconds. A later answer is kept. Never throws. */
  registration(domain: string, budgetMs: number): Promise<Registration>;
  /** Ends the questions that are under way. */
  close(): void;
}

/** What asking the registry of a domain came to. */
export type RegistryResult =
  | {
      kind: 'record';
      record: RegistryRecord;
      /** The registrar's own RDAP record of the domain, when the registry leaves the registrant to it. */
      registrarUrl: string | null;
    }
  /** It answered what nobody can read. Asking again won't help. */
  | UnreadableAnswer
  /** No registry serves the TLD. */
  | { kind: 'unsupported' }
  /** Nobody answered usably; worth another try after so many seconds. */
  | { kind: 'unavailable'; retryAfterSeconds: number };

/** What a registry answered, as it came, when it can't be read. */
export interface UnreadableAnswer {
  kind: 'unreadable';
  source: RegistryRecord['source'];
  text: string;
}

/** Asks the registry of a domain (A-labels). Never throws; ends soon after `signal` is aborted. */
export type QueryRegistry = (domain: string, signal: AbortSignal) => Promise<RegistryResult>;

/** The record of a name that nobody holds. */
export function unregisteredRecord(
  domain: string,
  source: RegistryRecord['source'],
): RegistryRecord {
  return {
    domain,
    registered: false,
    source,
    registrar: null,
    registrant: null,
    dates: { created: null, updated: null, expires: null },
    nameservers: [],
    status: [],
    dnssec: null,
  };
}

/** The registrant of a domain. Always complete: an incomplete one is a {@link RegistrantDraft}. */
export interface Registrant {
  name: string;
  organization: string | null;
  /** One to three lines. */
  street: readonly string[];
  city: string;
  /** State, province or prefecture; null where addresses have none. */
  state: string | null;
  /** Null in countries without postal codes. */
  postalCode: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** E.164, such as `+4930123456`. */
  phone: string;
  email: string;
  /** The TLD's extra fields, by the names in its rules. */
  extra: Readonly<Record<string, string>>;
}

/** A registrant as entered, with the field names of the API. */
export interface RegistrantDraft {
  name?: string | undefined;
  organization?: string | undefined;
  street?: readonly string[] | undefined;
  city?: string | undefined;
  state?: string | undefined;
  postal_code?: string | undefined;
  country?: string | undefined;
  phone?: string | undefined;
  email?: string | undefined;
  extra?: Readonly<Record<string, string>> | undefined;
}

/** The maximum length of each field, from the limits of registries (RFC 5733) and email. */
export const REGISTRANT_LENGTHS = {
  name: 200,
  organization: 200,
  street: 200,
  city: 100,
  state: 100,
  postal_code: 16,
  phone: 30,
  email: 254,
  extra: 100,
} as const;

export const MAX_STREET_LINES = 3;

/** Converts a registrant to the field names of the API, for display or editing. */
export function draftOf(registrant: Registrant): RegistrantDraft & { country: string } {
  const { organization, state, postalCode, ...rest } = registrant;
  return {
    ...rest,
    ...(organization !== null && { organization }),
    ...(state !== null && { state }),
    ...(postalCode !== null && { postal_code: postalCode }),
  };
}

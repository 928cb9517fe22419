import { invalid } from '../../platform/errors.ts';

const MAX_REFERENCE_LENGTH = 255;

/** Parses the bank's reference of a payment or return, trimmed. @throws validation_error */
export function parseBankReference(text: string): string {
  const reference = text.trim();
  if (reference === '' || reference.length > MAX_REFERENCE_LENGTH) {
    throw invalid([
      { path: '/reference', message: `must have 1 to ${MAX_REFERENCE_LENGTH} characters` },
    ]);
  }
  return reference;
}

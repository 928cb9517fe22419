import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';

/** What a page asks a browser for: the options of `navigator.credentials.create`. */
interface NewPasskeyOptions {
  challenge: string;
  rp: { id?: string };
}

/** User present, user verified, with a credential (WebAuthn level 3, section 6.1). */
const FLAGS = 0x45;
const bytes = (hex: string) => Buffer.from(hex, 'hex');

/** Returns a browser's response to creating a passkey, as JSON, on a page of this origin. */
export function newPasskeyAnswer({ challenge, rp }: NewPasskeyOptions, origin: string): string {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(16);
  const data = Buffer.concat([
    createHash('sha256')
      .update(rp.id ?? '')
      .digest(),
    Buffer.from([FLAGS]),
    Buffer.alloc(4 + 16),
    Buffer.from([0, id.length]),
    id,
    // The key in COSE: {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}.
    bytes('a5010203262001215820'),
    Buffer.from(x, 'base64url'),
    bytes('225820'),
    Buffer.from(y, 'base64url'),
  ]);
  // In CBOR: {fmt: 'none', attStmt: {}, authData}.
  const attestation = Buffer.concat([
    bytes('a363'),
    Buffer.from('fmt'),
    bytes('64'),
    Buffer.from('none'),
    bytes('67'),
    Buffer.from('attStmt'),
    bytes('a068'),
    Buffer.from('authData'),
    Buffer.from([0x58, data.length]),
    data,
  ]);
  const client = { type: 'webauthn.create', challenge, origin, crossOrigin: false };
  return JSON.stringify({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: Buffer.from(JSON.stringify(client)).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    },
  });
}

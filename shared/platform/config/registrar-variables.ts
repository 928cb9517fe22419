import { MINUTE, SECOND } from '../clock.ts';
import { integer, ms, oneOf, text } from './variable.ts';

/** Who moves LIVE domains, and the registry that a registrar of ours talks to. */
export const REGISTRAR_VARIABLES = {
  registrarLive: oneOf(
    'REGISTRAR_LIVE',
    ['manual', 'epp', 'epp-demo'],
    'manual',
    'Who moves LIVE domains.',
  ),
  eppHost: text('EPP_HOST', '', 'The registry. Required with epp.'),
  eppPort: integer('EPP_PORT', 700, 'Its port.', 1, 65_535),
  eppClientId: text('EPP_CLIENT_ID', '', 'Our account there. Required with epp.'),
  eppPassword: text('EPP_PASSWORD', '', 'Its password. Required with epp.'),
  eppNewPassword: text(
    'EPP_NEW_PASSWORD',
    '',
    'Replaces it at the next login; then move it to `EPP_PASSWORD`.',
  ),
  eppCa: text('EPP_CA', '', "Who signs the registry's certificate (PEM), unless the system knows."),
  eppCertificate: text('EPP_CERTIFICATE', '', 'Our certificate (PEM).'),
  eppKey: text('EPP_KEY', '', 'Its private key (PEM).'),
  eppSessions: integer(
    'EPP_SESSIONS',
    2,
    "Sessions of a process; those of all stay within the registry's limit.",
    1,
    100,
  ),
  eppKeepAliveMs: ms(
    'EPP_KEEP_ALIVE_MS',
    4 * MINUTE,
    'Idle sessions say hello after this.',
    SECOND,
  ),
  eppAnswerMs: ms('EPP_ANSWER_MS', 10 * SECOND, 'How long the registry may take to answer.', 1),
  registrationCheckMs: ms(
    'REGISTRATION_CHECK_MS',
    6 * 60 * MINUTE,
    'How often the registry is asked about a LIVE listing.',
    1,
  ),
  registrarKeepDays: integer(
    'REGISTRAR_KEEP_DAYS',
    730,
    'Commands to the registry, and its messages.',
    1,
    3_650,
  ),
};

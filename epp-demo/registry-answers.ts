import { EPP, OBJECTS, UNHANDLED_NAMESPACES } from '../shared/domains/epp/epp-namespaces.ts';
import { RESULT_CODES } from '../shared/domains/epp/epp-result-codes.ts';
import { type XmlElement, xml } from '../shared/domains/epp/epp-xml.ts';
import type { Result } from './registry-rules.ts';

/** Builds the response to a command, with both transaction IDs. @param reason why it was not carried out */
export function responseDocument(
  { code, data, extensions = [], messages }: Result,
  {
    reason,
    clTRID,
    svTRID,
    services = [],
  }: {
    reason?: string | undefined;
    clTRID: string | null;
    svTRID: string;
    services?: readonly string[];
  },
): XmlElement {
  const told = extensions.filter((each) => each !== undefined);
  // RFC 9038, section 3: data of namespaces that the client did not announce goes into <extValue>.
  const isUnhandled = ({ namespace }: XmlElement) =>
    services.includes(UNHANDLED_NAMESPACES) && !services.includes(namespace);
  const handled = told.filter((each) => !isUnhandled(each));
  const unhandled = [...(data ? [data] : []), ...told].filter(isUnhandled);
  const shown = data && !isUnhandled(data) ? data : undefined;
  const why =
    reason === undefined
      ? undefined
      : xml(EPP, 'extValue', [xml(EPP, 'value', [xml(EPP, 'undef')]), xml(EPP, 'reason', reason)]);
  return xml(EPP, 'epp', [
    xml(EPP, 'response', [
      xml(
        EPP,
        'result',
        [xml(EPP, 'msg', RESULT_CODES[code].text), why, ...unhandled.map(unhandledValue)],
        {
          code: String(code),
        },
      ),
      messages && messageQueue(messages),
      shown && xml(EPP, 'resData', [shown]),
      handled.length > 0 ? xml(EPP, 'extension', handled) : undefined,
      xml(EPP, 'trID', [
        clTRID === null ? undefined : xml(EPP, 'clTRID', clTRID),
        xml(EPP, 'svTRID', svTRID),
      ]),
    ]),
  ]);
}

const unhandledValue = (element: XmlElement) =>
  xml(EPP, 'extValue', [
    xml(EPP, 'value', [element]),
    xml(EPP, 'reason', `${element.namespace} not in login services`),
  ]);

function messageQueue({ count, id, shown }: NonNullable<Result['messages']>): XmlElement {
  const message = shown ? [xml(EPP, 'qDate', shown.queuedAt), xml(EPP, 'msg', shown.text)] : [];
  return xml(EPP, 'msgQ', message, { count: String(count), id });
}

/** Builds the greeting, sent when a connection opens and at each `<hello>`. */
export function greeting(now: Date, extensions: readonly string[]): XmlElement {
  const menu = xml(EPP, 'svcMenu', [
    xml(EPP, 'version', '1.0'),
    xml(EPP, 'lang', 'en'),
    ...OBJECTS.map((uri) => xml(EPP, 'objURI', uri)),
    xml(
      EPP,
      'svcExtension',
      extensions.map((uri) => xml(EPP, 'extURI', uri)),
    ),
  ]);
  const policy = xml(EPP, 'dcp', [
    xml(EPP, 'access', [xml(EPP, 'all')]),
    xml(EPP, 'statement', [
      xml(EPP, 'purpose', [xml(EPP, 'prov')]),
      xml(EPP, 'recipient', [xml(EPP, 'ours')]),
      xml(EPP, 'retention', [xml(EPP, 'none')]),
    ]),
  ]);
  return xml(EPP, 'epp', [
    xml(EPP, 'greeting', [
      xml(EPP, 'svID', 'Demo registry'),
      xml(EPP, 'svDate', now.toISOString()),
      menu,
      policy,
    ]),
  ]);
}

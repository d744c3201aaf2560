import { Failure } from '../../../domain/failure/failure.ts';

/** The headers of a part as the tokenizer reports them: names in lower case, values with one character per byte. */
export type RawHeaders = Readonly<Record<string, readonly string[]>>;

export interface PartHeader {
  /** Without trailing brackets. */
  readonly name: string;
  /** Without folders and control characters; empty if the client sent an empty name, `null` if it sent none. */
  readonly fileName: string | null;
  /** In lower case, without parameters. */
  readonly mediaType: string | null;
}

const MOST_NAME_LENGTH = 200;
const MOST_FILE_NAME_LENGTH = 255;
/** Encodings that leave bytes unchanged (RFC 2045, section 6.2). */
const PLAIN_ENCODINGS: ReadonlySet<string> = new Set(['binary', '8bit', '7bit']);
const PLAIN_CHARSETS: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii']);
/** A parameter: its name, and its value as a quoted string or a token. */
const PARAMETER = /\s*;\s*([^\s;="]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/y;
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

export function readPartHeader(headers: RawHeaders): PartHeader | Failure {
  const disposition = parametersOf(headers, 'content-disposition');
  if (disposition === null || disposition.value !== 'form-data') {
    return wrong('A part has no valid header `Content-Disposition: form-data; name="…"`.');
  }
  const { parameters } = disposition;
  const sentName = parameters.get('name');
  if (sentName === undefined) return wrong('A part has no name: its `Content-Disposition` lacks `name="…"`.');
  const name = nameOf(sentName);
  if (name instanceof Failure) return name;
  const type = headers['content-type'] === undefined ? null : parametersOf(headers, 'content-type');
  if (type === null && headers['content-type'] !== undefined) {
    return wrong(`The header \`Content-Type\` of the part \`${name}\` is malformed.`, name);
  }
  const encoded = encodingProblem(headers, type?.parameters ?? new Map(), name);
  if (encoded !== null) return encoded;
  const fileName = fileNameOf(parameters, name);
  if (fileName instanceof Failure) return fileName;
  return { name, fileName, mediaType: type !== null && MEDIA_TYPE.test(type.value) ? type.value : null };
}

/** Removes trailing brackets: clients write `image[]` for the items of a list. */
export function withoutBrackets(name: string): string {
  return name.endsWith('[]') ? name.slice(0, -2) : name;
}

function nameOf(sent: string): string | Failure {
  const bytes = Buffer.from(sent, 'latin1');
  if (bytes.length > MOST_NAME_LENGTH) return wrong(`A part has a name longer than ${MOST_NAME_LENGTH} bytes.`);
  try {
    const name = withoutBrackets(strictUtf8.decode(bytes));
    return name === '' ? wrong('A part has an empty name.') : name;
  } catch {
    return wrong('A part has a name that is not valid UTF-8.');
  }
}

function fileNameOf(parameters: ReadonlyMap<string, string>, part: string): string | null | Failure {
  const other = [...parameters.keys()].find((key) => key.includes('*') && key !== 'filename*');
  if (other !== undefined) return wrong(`The parameter \`${other.slice(0, 40)}\` of a part is not supported.`, part);
  const extended = parameters.get('filename*');
  const plain = parameters.get('filename');
  const sent = extended === undefined ? plain && utf8.decode(Buffer.from(plain, 'latin1')) : extendedValue(extended);
  if (sent === undefined) return null;
  if (sent === null)
    return wrong(`The \`filename*\` of the part \`${part}\` must have the form \`UTF-8''…\` (RFC 8187).`, part);
  // Browsers escape quotes as `%22`; some clients send the whole path.
  const base = sent.replaceAll('%22', '"').split(/[/\\]/).at(-1) ?? '';
  const name = base.replaceAll(/\p{Cc}/gu, '').trim();
  if (name.length > MOST_FILE_NAME_LENGTH) {
    return wrong(`The file name of the part \`${part}\` is longer than ${MOST_FILE_NAME_LENGTH} characters.`, part);
  }
  return name === '.' || name === '..' ? '' : name;
}

/** Decodes RFC 8187, section 3.2 (formerly RFC 2231): a charset, a language, and percent-encoded text. */
function extendedValue(sent: string): string | null {
  const [, charset, encoded] = /^([\w-]+)'[\w-]*'((?:%[\da-f]{2}|[\w!#$&+.^`|~-])*)$/i.exec(sent) ?? [];
  if (charset === undefined || encoded === undefined) return null;
  const bytes = Buffer.from(
    encoded.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  switch (charset.toLowerCase()) {
    case 'utf-8':
      return utf8.decode(bytes);
    case 'iso-8859-1':
      return bytes.toString('latin1');
    default:
      return null;
  }
}

function encodingProblem(headers: RawHeaders, ofType: ReadonlyMap<string, string>, part: string): Failure | null {
  const encoding = headers['content-transfer-encoding']?.join(',').trim().toLowerCase();
  if (encoding !== undefined && !PLAIN_ENCODINGS.has(encoding)) {
    return wrong(
      `The part \`${part}\` has the \`Content-Transfer-Encoding\` ${encoding.slice(0, 40)}. Send its bytes unencoded, without this header.`,
      part,
    );
  }
  const charset = ofType.get('charset')?.toLowerCase();
  if (charset === undefined || PLAIN_CHARSETS.has(charset)) return null;
  return wrong(`The part \`${part}\` has the charset ${charset.slice(0, 40)}. Send text in UTF-8.`, part);
}

interface Parameters {
  /** In lower case. */
  readonly value: string;
  /** Keyed by name in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Returns `null` for a header that is missing, repeated, or malformed by RFC 9110 (section 5.6.6). */
function parametersOf(headers: RawHeaders, header: string): Parameters | null {
  const [line, another] = headers[header] ?? [];
  if (line === undefined || another !== undefined) return null;
  const parameters = new Map<string, string>();
  const [value = ''] = line.split(';', 1);
  PARAMETER.lastIndex = value.length;
  for (;;) {
    const at = PARAMETER.lastIndex;
    const [, name, quoted, token] = PARAMETER.exec(line) ?? [];
    if (name === undefined)
      return /^[\s;]*$/.test(line.slice(at)) ? { value: value.trim().toLowerCase(), parameters } : null;
    const key = name.toLowerCase();
    if (parameters.has(key)) return null;
    // A backslash that does not precede a quote or a backslash is part of a Windows path.
    parameters.set(key, quoted?.replaceAll(/\\(["\\])/g, '$1') ?? token ?? '');
  }
}

function wrong(message: string, param?: string): Failure {
  return new Failure('invalid_value', { message, kind: 'invalid_form', ...(param === undefined ? {} : { param }) });
}

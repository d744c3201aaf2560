import { Failure } from '../../../domain/failure/failure.ts';
import type { FileRule, FormRules, UploadedFile, UploadedForm } from '../../../domain/media/uploaded-file.ts';
import { freeBytes } from '../../../domain/own-bytes.ts';
import { cutShort, received } from '../body.ts';
import type { BodyLease } from '../body-budget.ts';
import { decoded, decoderFor } from '../decompress.ts';
import type { ClientRequest } from '../route.ts';
import type { Upload } from '../uploads.ts';
import { type FilePlaces, IncomingFile } from './incoming-file.ts';
import { type PartHeader, readPartHeader, withoutBrackets } from './part-header.ts';
import { PartNames } from './part-names.ts';
import { type FormToken, FormTokens } from './tokens.ts';
import type { UploadFolder } from './upload-folder.ts';

/** RFC 2046, section 5.1.1: 1 to 70 of these characters, not ending with a space. */
const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
const BOUNDARY_PARAMETER = /;\s*boundary\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))\s*(?=;|$)/gi;

/** Returns the boundary of a `multipart/form-data` body from its `Content-Type` header. */
function boundaryOf(contentType: string | null): string | Failure {
  if (contentType === null || !/^\s*multipart\/form-data\s*(?:;|$)/i.test(contentType)) return notAForm(contentType);
  const found = [...contentType.matchAll(BOUNDARY_PARAMETER)];
  if (found.length > 1) return wrongHeader('has two boundaries');
  const [match] = found;
  if (match === undefined) return wrongHeader('has no boundary');
  const boundary = match[1]?.replaceAll(/\\(.)/g, '$1') ?? match[2] ?? '';
  if (boundary === '') return wrongHeader('has an empty boundary');
  if (boundary.length > 70) return wrongHeader('has a boundary longer than 70 characters');
  return BOUNDARY.test(boundary) ? boundary : wrongHeader('has a boundary with invalid characters');
}

function wrongHeader(what: string): Failure {
  return new Failure('invalid_value', {
    message: `The header \`Content-Type: multipart/form-data\` ${what}. Let your HTTP client set the header: its boundary must be that of the body (\`multipart/form-data; boundary=…\`).`,
    param: 'Content-Type',
    kind: 'invalid_form',
  });
}

function notAForm(contentType: string | null): Failure {
  const sent = contentType === null ? 'no content type' : `the content type \`${contentType.slice(0, 100)}\``;
  return new Failure('unsupported_content_type', {
    message: `The request has ${sent}, but this endpoint requires a form. Send \`Content-Type: multipart/form-data; boundary=…\`, with the file as a part.`,
  });
}

/** Room for a prompt of 32,000 characters, the longest that any model accepts, at up to four bytes each. */
const MOST_TEXT_BYTES = 128 * 1024;
/** An item of a list may be a data URI: ten seconds of uncompressed sound in base64, as a voice sample of a speaker. */
const MOST_ITEM_BYTES = 4 * 1024 * 1024;
const MOST_TEXTS_BYTES = 16 * 1024 * 1024;
const MOST_TEXTS = 256;
/** Room for the boundaries and headers of all parts, the preamble and the epilogue. */
const AROUND_PARTS_BYTES = 1024 * 1024;
/** Bounds the number of tokens that tiny parts can produce at once. */
const SLICE_BYTES = 64 * 1024;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

interface FormReception {
  readonly accountId: string;
  readonly rules: FormRules;
  readonly folder: UploadFolder;
  readonly lease: BodyLease;
  readonly upload: Upload;
}

/** Reads a form piece by piece. Files on disk are removed here if the form is refused, otherwise by `UploadedForm.remove`. */
export async function readForm(request: ClientRequest, reception: FormReception): Promise<UploadedForm | Failure> {
  const boundary = boundaryOf(request.headers.get('content-type'));
  if (boundary instanceof Failure) return boundary;
  const makeDecoder = decoderFor(request.headers.get('content-encoding'));
  if (makeDecoder instanceof Failure) return makeDecoder;
  const limitBytes = mostBytes(reception.rules);
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > limitBytes) return formTooLarge(reception.rules, limitBytes);
  if (request.body === null) return notAsAnnounced();
  const form = new FormReader(reception);
  const coming = received(request.body, reception.upload);
  let wasCut = false;
  async function* sent(): AsyncIterable<Uint8Array> {
    try {
      yield* coming;
    } catch (error) {
      wasCut = true;
      throw error;
    }
  }
  const body = makeDecoder === null ? sent() : decoded(sent(), makeDecoder());
  const problem = await readAll(body, {
    ...reception,
    form,
    boundary,
    limitBytes,
    isAsSent: makeDecoder === null,
  }).catch(
    () =>
      // Otherwise the decoder caused the error.
      reception.upload.failure ?? (wasCut || makeDecoder === null ? cutShort() : notDecodable()),
  );
  if (problem === null) return form.whole();
  await form.remove();
  return problem;
}

interface Reading extends FormReception {
  readonly form: FormReader;
  readonly boundary: string;
  readonly limitBytes: number;
  /** Whether the pieces belong to Bun alone. A decoder may reuse their memory. */
  readonly isAsSent: boolean;
}

async function readAll(
  body: AsyncIterable<Uint8Array>,
  { form, boundary, limitBytes, upload, rules, isAsSent }: Reading,
): Promise<Failure | null> {
  const tokens = new FormTokens(boundary);
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > limitBytes) return formTooLarge(rules, limitBytes);
    // Time spent here does not count against the client.
    upload.isPaused = true;
    for (let at = 0; at < piece.length; at += SLICE_BYTES) {
      for (const token of tokens.push(piece.subarray(at, at + SLICE_BYTES))) {
        const problem = await form.take(token);
        if (problem !== null) return problem;
      }
    }
    upload.isPaused = false;
    // It is up to 1 MiB, and 200 concurrent uploads would leave hundreds behind. Everything kept of it has been copied.
    if (isAsSent) freeBytes(piece);
  }
  if (upload.failure !== null) return upload.failure;
  return (await tokens.end()) ? null : notAsAnnounced();
}

/** Checks the parts against the rules as they arrive. */
class FormReader {
  private readonly fields = new Map<string, string[]>();
  private readonly files = new Map<string, UploadedFile[]>();
  private readonly incoming: IncomingFile[] = [];
  private readonly lists: ReadonlySet<string>;
  private readonly names: PartNames;
  private readonly places: FilePlaces;
  private part: TextPart | FilePart | null = null;
  private texts = 0;
  private textBytes = 0;

  constructor(private readonly reception: FormReception) {
    this.lists = new Set(reception.rules.lists.map(withoutBrackets));
    this.names = new PartNames(reception.rules);
    this.places = reception;
  }

  whole(): UploadedForm {
    const { fields, files } = this;
    return { fields, files, remove: () => void this.remove() };
  }

  async remove(): Promise<void> {
    await Promise.all(this.incoming.map((file) => file.remove()));
  }

  take(token: FormToken): Failure | null | Promise<Failure | null> {
    const { part } = this;
    if (token.kind === 'part') {
      const header = token.headers === null ? headerWithoutEnd() : readPartHeader(token.headers);
      return header instanceof Failure ? header : this.begin(header);
    }
    if (part === null) throw new Error('form data arrived outside of a part');
    if (token.kind === 'data') return part.isFile ? this.writeFile(part, token.bytes) : this.addText(part, token.bytes);
    return part.isFile ? this.endFile(part) : this.endText(part);
  }

  private begin(header: PartHeader): Failure | null {
    const { name, fileName, mediaType } = header;
    const variant = this.names.check(name);
    if (variant !== null) return variant;
    const { files } = this.reception.rules;
    const rule = Object.hasOwn(files, name) ? files[name] : undefined;
    if (rule !== undefined && (fileName !== null || isFileType(mediaType))) return this.beginFile(header, rule);
    if (rule !== undefined) {
      return wrong(name, `The part \`${name}\` must be a file: its header needs \`filename="…"\`.`);
    }
    if (fileName !== null) {
      const expected = Object.keys(files).map((file) => `\`${file}\``);
      return wrong(
        name,
        `The part \`${name}\` must not be a file. File parts of this endpoint: ${expected.join(', ') || 'none'}.`,
      );
    }
    if (++this.texts > MOST_TEXTS) return wrong(name, `The form has more than ${MOST_TEXTS} text parts.`);
    // The gateway does not know whether a part that only the upstream reads is a list.
    const isSingle = this.names.isKnown(name) && !this.lists.has(name);
    if (isSingle && this.fields.has(name)) return twice(name);
    this.part = { isFile: false, name, pieces: [], bytes: 0 };
    return null;
  }

  private beginFile({ name, fileName, mediaType }: PartHeader, rule: FileRule): Failure | null {
    const present = this.files.get(name)?.length ?? 0;
    if (present >= rule.maxCount) {
      return rule.maxCount === 1
        ? twice(name)
        : wrong(name, `The form has more than ${rule.maxCount} files named \`${name}\`.`);
    }
    const file = new IncomingFile({ name: fileName || 'file', declaredType: mediaType }, rule.maxBytes, this.places);
    this.incoming.push(file);
    this.part = { isFile: true, name, file, rule, isUnnamed: fileName === '' };
    return null;
  }

  private writeFile({ name, file, rule }: FilePart, bytes: Uint8Array): Failure | null | Promise<Failure | null> {
    if (file.length + bytes.length > rule.maxBytes) return fileTooLarge(name, rule);
    return file.write(bytes);
  }

  private async endFile({ name, file, isUnnamed }: FilePart): Promise<Failure | null> {
    // Browsers send this for a file field in which no file was chosen.
    if (isUnnamed && file.length === 0) return null;
    const finished = await file.finish();
    if (finished instanceof Failure) return finished;
    this.files.set(name, [...(this.files.get(name) ?? []), finished]);
    return null;
  }

  private addText(part: TextPart, bytes: Uint8Array): Failure | null {
    part.bytes += bytes.length;
    this.textBytes += bytes.length;
    const most = this.lists.has(part.name) ? MOST_ITEM_BYTES : MOST_TEXT_BYTES;
    if (part.bytes > most) return textTooLarge(part.name, `is longer than ${most / 1024} KiB`);
    if (this.textBytes > MOST_TEXTS_BYTES) {
      return textTooLarge(part.name, `brings the text parts to more than ${MOST_TEXTS_BYTES / (1024 * 1024)} MiB`);
    }
    const refusal = this.reception.lease.grow(bytes.length);
    if (refusal !== null) return refusal;
    // Copies (`slice` of a Buffer does not), so that the piece of the body does not stay in memory.
    part.pieces.push(new Uint8Array(bytes));
    return null;
  }

  private endText({ name, pieces }: TextPart): Failure | null {
    let value: string;
    try {
      value = strictUtf8.decode(Buffer.concat(pieces));
    } catch {
      return wrong(name, `The part \`${name}\` is not valid UTF-8.`);
    }
    if (name !== '_charset_') {
      this.fields.set(name, [...(this.fields.get(name) ?? []), value]);
      return null;
    }
    // RFC 7578, section 4.6: `_charset_` names the charset of all text parts.
    if (/^utf-?8$/i.test(value)) return null;
    return wrong(name, 'The part `_charset_` names a charset other than UTF-8. Send text in UTF-8.');
  }
}

interface TextPart {
  readonly isFile: false;
  readonly name: string;
  readonly pieces: Uint8Array[];
  bytes: number;
}

interface FilePart {
  readonly isFile: true;
  readonly name: string;
  readonly file: IncomingFile;
  readonly rule: FileRule;
  /** Whether the file name is empty. */
  readonly isUnnamed: boolean;
}

/** Detects files of clients that send a media type but no file name. */
function isFileType(mediaType: string | null): boolean {
  return mediaType !== null && !mediaType.startsWith('text/') && mediaType !== 'application/json';
}

function mostBytes({ files }: FormRules): number {
  const ofFiles = Object.values(files).reduce((sum, { maxBytes, maxCount }) => sum + maxBytes * maxCount, 0);
  return ofFiles + MOST_TEXTS_BYTES + AROUND_PARTS_BYTES;
}

function formTooLarge({ files }: FormRules, limitBytes: number): Failure {
  const names = Object.keys(files);
  const [only] = names;
  return new Failure('payload_too_large', {
    message: `The form is larger than ${Math.floor(limitBytes / (1024 * 1024))} MiB, the limit for all parts together.`,
    ...(only !== undefined && names.length === 1 ? { param: only } : {}),
  });
}

function fileTooLarge(param: string, { maxBytes }: FileRule): Failure {
  const unit = [
    { name: 'MB', bytes: 1_000_000 },
    { name: 'MiB', bytes: 1_048_576 },
  ].find(({ bytes }) => maxBytes % bytes === 0);
  const limit = unit === undefined ? `${maxBytes} bytes` : `${maxBytes / unit.bytes} ${unit.name}`;
  return new Failure('payload_too_large', {
    message: `The file \`${param}\` is larger than ${limit}. Send a smaller or more compressed file.`,
    param,
  });
}

function textTooLarge(param: string, what: string): Failure {
  return new Failure('payload_too_large', { message: `The text part \`${param}\` ${what}.`, param });
}

function twice(param: string): Failure {
  return wrong(param, `The part \`${param}\` is repeated. Send it once.`);
}

function headerWithoutEnd(): Failure {
  return invalid('A part has no empty line after its headers.');
}

function notAsAnnounced(): Failure {
  return invalid(
    'The form lacks its final boundary (`--…--`). The body is incomplete, or its boundary is not that of the header `Content-Type`.',
  );
}

function notDecodable(): Failure {
  return invalid('The request body does not match its `Content-Encoding`.');
}

function invalid(message: string): Failure {
  return new Failure('invalid_value', { message, kind: 'invalid_form' });
}

function wrong(param: string, message: string): Failure {
  return new Failure('invalid_value', { message, param, kind: 'invalid_form' });
}

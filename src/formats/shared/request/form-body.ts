import { type FilePiece, PiecedBody } from '../../../domain/media/pieced-body.ts';
import type { UploadedFile } from '../../../domain/media/uploaded-file.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** One part of a form. A list is sent as several parts with the same name. */
export type FormPart =
  | { readonly name: string; readonly value: string }
  | {
      readonly name: string;
      readonly file: UploadedFile | InlineFile;
      readonly mediaType: string;
      /** Replaces the file's own name. */
      readonly fileName?: string;
    };

/** A file that the gateway holds in memory. */
export interface InlineFile {
  readonly name: string;
  readonly bytes: Bytes;
}

export interface EncodedForm {
  readonly body: PiecedBody;
  readonly headers: { readonly 'content-type': string };
}

const BOUNDARY_BYTES = 24;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\w!#$&^.+-]+=[\w!#$&^.+-]+)*$/;

const utf8 = new TextEncoder();

/** Encodes the parts, in order, as `multipart/form-data` (RFC 7578). Large files are not copied. */
export function encodeForm(parts: readonly FormPart[]): EncodedForm {
  const boundary = `switchyard-${crypto.getRandomValues(new Uint8Array(BOUNDARY_BYTES)).toHex()}`;
  const pieces: (Bytes | FilePiece)[] = [];
  let text = '';
  for (const part of parts) {
    text += `--${boundary}\r\n${headersOf(part)}\r\n\r\n`;
    if ('value' in part) {
      text += `${part.value}\r\n`;
      continue;
    }
    const { file } = part;
    pieces.push(utf8.encode(text), 'stream' in file ? { file, as: 'bytes' } : file.bytes);
    text = '\r\n';
  }
  pieces.push(utf8.encode(`${text}--${boundary}--\r\n`));
  return {
    body: new PiecedBody(pieces),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}

function headersOf(part: FormPart): string {
  const disposition = `Content-Disposition: form-data; name="${escaped(part.name)}"`;
  if ('value' in part) return disposition;
  const mediaType = MEDIA_TYPE.test(part.mediaType) ? part.mediaType : 'application/octet-stream';
  return `${disposition}; filename="${escaped(part.fileName ?? part.file.name)}"\r\nContent-Type: ${mediaType}`;
}

/** Escapes a name as browsers do (HTML, "multipart/form-data encoding algorithm"). */
function escaped(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}

import type { ClientFormat, ParsedRequest } from '../../formats/format.ts';
import { countedPrompt } from './produced-usage.ts';

/** Of text in most languages and of code a token has more bytes than this; the JSON around it is counted, too. */
const LEAST_BYTES_PER_TOKEN = 3;
/** A larger prompt is worth a better look: what is put aside for it could be too much for a small balance. */
const LONG_BYTES = 32 * 1024;
/** How much the vendors' tokenizers differ from the one at hand. */
const TOKENIZER_MARGIN = 1.25;
/** The names of what costs tokens by other rules than its bytes. */
const MEDIA = /"(?:image|audio|input_|video|file|document|inline)/;

/** For a short text of which bytes alone tell enough; `null` where it takes a closer look. */
export function boundByBytes(bytes: Uint8Array): number | null {
  if (bytes.length === 0 || bytes.length > LONG_BYTES) return null;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  return MEDIA.test(text) ? null : Math.ceil(bytes.length / LEAST_BYTES_PER_TOKEN);
}

/** The most tokens that a prompt is likely to come to: for what is put aside, not for what is charged. */
export function boundByTokens(format: ClientFormat, request: ParsedRequest): Promise<number> {
  return countedPrompt({ format, request }).then((tokens) => Math.ceil(tokens * TOKENIZER_MARGIN));
}

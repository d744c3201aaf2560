import { Failure } from '../../domain/failure/failure.ts';
import type { ImageAnswer } from '../../domain/images/images.ts';
import { bodyNoAnswer, bodyNotJson, garbage } from '../shared/answer-failure.ts';
import { cleanMessage } from '../shared/clean-message.ts';
import { contentRefused, IMAGES_ALONE, imagesOf } from '../shared/image-answer.ts';
import { parseJsonBytes } from '../shared/json-text.ts';
import { textOrEmpty, textOrNull } from '../shared/json-values.ts';
import { isRecord } from '../shared/record.ts';
import { decodeFailure as decodeUsual } from '../shared/upstream-failure.ts';
import type { NextRequest, WireAnswer } from '../wire.ts';

const POLL_MS = 500;
const ID = /^[a-z0-9]{1,64}$/i;

/** As `PolledWire.next`. A prediction is asked for by its id alone, whatever addresses are in the answer. */
export function nextPrediction({ bytes }: WireAnswer): NextRequest | null | Failure {
  const body: unknown = parseJsonBytes(bytes);
  if (body === undefined) return bodyNotJson();
  if (!isRecord(body)) return bodyNoAnswer();
  const { status, id } = body;
  if (status === 'succeeded') return null;
  if (status === 'failed') return failed(textOrEmpty(body.error));
  if (status === 'canceled' || status === 'aborted') {
    const message = 'The prediction was canceled at the provider before it was done.';
    return new Failure('upstream_error', { kind: 'job_canceled', message });
  }
  if (status !== 'starting' && status !== 'processing') {
    return garbage('The upstream reported a state of the prediction that is not known.');
  }
  if (typeof id !== 'string' || !ID.test(id)) return garbage('The upstream did not say the id of the prediction.');
  return { method: 'GET', url: `/predictions/${id}`, afterMs: POLL_MS, body: null };
}

/** Words of models' own filters, and of Replicate's (E005). */
const FLAGGED =
  /\bnsfw\b|\bflagged as sensitive\b|\(E005\)|\b(?:content|safety) (?:policy|filter|checker)\b|\bmoderat/i;
/** E006; what the models' Python says of values that it cannot use. */
const BAD_INPUT = /\(E006\)|\binvalid input\b/i;

function failed(said: string): Failure {
  if (FLAGGED.test(said)) return contentRefused(said);
  const words = cleanMessage(said);
  if (BAD_INPUT.test(said)) return new Failure('invalid_request', { message: words, kind: 'job_failed' });
  const message = words === '' ? 'The prediction failed at the provider, which did not say why.' : words;
  return new Failure('upstream_error', { kind: 'job_failed', message: `The prediction failed: ${message}` });
}

/** The output is one address or a list of them. */
export function decodeAnswer({ bytes }: WireAnswer): ImageAnswer | Failure {
  const body: unknown = parseJsonBytes(bytes);
  if (body === undefined) return bodyNotJson();
  if (!isRecord(body)) return bodyNoAnswer();
  const { output, model } = body;
  const list: unknown = typeof output === 'string' ? [output] : output;
  const items = Array.isArray(list) ? list.map((url) => ({ url })) : list;
  const images = imagesOf(items, ({ url }) => ({ url }));
  if (images instanceof Failure) return images;
  return { ...IMAGES_ALONE, images, model: textOrNull(model) };
}

/** Members of `input` for which the client has another name. */
const CLIENTS_NAMES: Readonly<Record<string, string>> = {
  width: 'size',
  height: 'size',
  num_outputs: 'n',
  output_quality: 'output_compression',
  input_image: 'image',
  input_images: 'image',
  image_input: 'image',
};
const NO_VERSION = /^invalid version\b|\bversion does not exist\b/i;

/** `{title, detail, status, invalid_fields: [{type, field: "input.width", description}]}`. */
export function decodeFailure(status: number, headers: Headers, bytes: Uint8Array): Failure {
  const failure = decodeUsual(status, headers, bytes);
  if (status !== 422) return failure;
  const body: unknown = parseJsonBytes(bytes);
  if (!isRecord(body)) return failure;
  if (NO_VERSION.test(textOrEmpty(body.title)) || NO_VERSION.test(textOrEmpty(body.detail))) {
    return new Failure('upstream_error', {
      kind: 'http_404',
      message: `The provider does not know the model or address that the channel names (HTTP ${status})`,
      retry: 'other-target',
    });
  }
  const [first]: readonly unknown[] = Array.isArray(body.invalid_fields) ? body.invalid_fields : [];
  const field = isRecord(first) ? textOrEmpty(first.field).replace(/^input\./, '') : '';
  if (!/^[\w.[\]]{1,100}$/.test(field)) return failure;
  const param = Object.hasOwn(CLIENTS_NAMES, field) ? CLIENTS_NAMES[field] : field;
  return new Failure(failure.code, { ...failure.details, ...(param !== undefined && { param }) });
}

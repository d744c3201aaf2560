import type { WrittenRouting } from '../../../domain/exchange/routing-info.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { type Billable, ONE_REQUEST } from '../../../domain/money/quantity.ts';
import { appendMember, applyEdits, type Edit, replaceValue } from '../../../formats/shared/json-patch.ts';
import { MemberNames, scanObject } from '../../../formats/shared/json-scan.ts';
import { parseJsonBytes } from '../../../formats/shared/json-text.ts';
import { isRecord } from '../../../formats/shared/record.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const MODEL = new MemberNames('model');
const LONGEST_MODEL = 256;

export interface ModerationRequest {
  readonly model: string;
  readonly bytes: Bytes;
}

/** `model` is `null` where the client leaves it to the gateway. */
export interface ParsedModeration {
  readonly model: string | null;
  readonly bytes: Bytes;
}

/** Checks what routing needs of a body; what may be moderated, and how, is for the provider to say. */
export function parseModeration(bytes: Bytes): ParsedModeration | Failure {
  if (bytes.length === 0) {
    return new Failure('empty_body', { message: 'The request has no body. Send a JSON object with `input`.' });
  }
  const body = parseJsonBytes(bytes);
  if (body === undefined) return new Failure('invalid_json', { message: 'The request body is not valid JSON.' });
  if (!isRecord(body)) {
    return new Failure('invalid_type', { message: 'The request body must be a JSON object.' });
  }
  const { model, input } = body;
  if (model !== undefined && (typeof model !== 'string' || model === '' || model.length > LONGEST_MODEL)) {
    return wrong('invalid_type', 'model', 'must be the id of a model');
  }
  if ((scanObject(bytes, 0, MODEL)?.members.length ?? 0) > 1) return wrong('invalid_value', 'model', 'must stand once');
  if (input === undefined || input === null) {
    return new Failure('missing_required_parameter', {
      message: '`input` is missing: the text to moderate, or a list of texts or of pictures with texts.',
      param: 'input',
    });
  }
  if (typeof input !== 'string' && !Array.isArray(input))
    return wrong('invalid_type', 'input', 'must be a text or a list');
  return { model: model ?? null, bytes };
}

function wrong(code: 'invalid_type' | 'invalid_value', param: string, rule: string): Failure {
  return new Failure(code, { message: `\`${param}\` ${rule}.`, param });
}

/** The client's bytes with the upstream's id as the model. */
export function bytesFor({ bytes, model }: ModerationRequest, upstreamModel: string): Bytes {
  const object = scanObject(bytes, 0, MODEL);
  if (object === null) return bytes;
  const [member] = object.members;
  const value = JSON.stringify(upstreamModel);
  if (member === undefined) return applyEdits(bytes, [appendMember(object, `"model":${value}`)]);
  return model === upstreamModel ? bytes : applyEdits(bytes, [replaceValue(member, value)]);
}

/** The upstream's answer with the model as it was asked for, and `_routing`; `null` where it is no moderation. */
export function answerWith(bytes: Uint8Array, model: string, routing: WrittenRouting): Bytes | null {
  const body = parseJsonBytes(bytes);
  const object = isRecord(body) && Array.isArray(body.results) ? scanObject(bytes, 0, MODEL) : null;
  if (object === null) return null;
  const edits: Edit[] = object.members.map((member) => replaceValue(member, JSON.stringify(model)));
  return applyEdits(bytes, [...edits, appendMember(object, `"_routing":${routing.json}`)]);
}

/** Characters of English to a token, for a provider that says no number. */
const BYTES_PER_TOKEN = 4;

/** Tokens as the provider has counted them (Mistral), else by the size of the request. */
export function billableModeration(answer: Uint8Array, { bytes }: ModerationRequest): Billable {
  const body = parseJsonBytes(answer);
  const usage = isRecord(body) && isRecord(body.usage) ? body.usage : {};
  const told = [usage.prompt_tokens, usage.total_tokens].find(
    (count) => Number.isSafeInteger(count) && Number(count) >= 0,
  );
  const input = told === undefined ? Math.ceil(bytes.length / BYTES_PER_TOKEN) : Number(told);
  const source = told === undefined ? 'estimated' : 'reported';
  return { quantities: [{ unit: 'input_token', amount: input }, ONE_REQUEST], source };
}

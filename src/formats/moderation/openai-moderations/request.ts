import { Failure } from '../../../domain/failure/failure.ts';
import { appendMember, applyEdits, replaceValue } from '../../shared/json/json-patch.ts';
import { MemberNames, scanObject } from '../../shared/json/json-scan.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { isRecord } from '../../shared/json/record.ts';
import { wrongField } from '../../shared/request/request-fields.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const MODEL = new MemberNames('model');
const LONGEST_MODEL = 256;

export interface ParsedModeration {
  /** `null` if the client lets the gateway choose. */
  readonly model: string | null;
  readonly bytes: Bytes;
}

/** Checks only the members that routing needs. The provider checks the rest. */
export function parseRequest(bytes: Bytes): ParsedModeration | Failure {
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
    return wrongField('invalid_type', 'model', 'must be a model id');
  }
  if ((scanObject(bytes, 0, MODEL)?.members.length ?? 0) > 1)
    return wrongField('invalid_value', 'model', 'must appear once');
  if (input === undefined || input === null) {
    return new Failure('missing_required_parameter', {
      message: '`input` is missing: the text to moderate, or a list of texts and images.',
      param: 'input',
    });
  }
  if (typeof input !== 'string' && !Array.isArray(input))
    return wrongField('invalid_type', 'input', 'must be a string or a list');
  return { model: model ?? null, bytes };
}

/** Returns the client's bytes with the upstream's model id. */
export function relayRequest({ bytes, model }: ParsedModeration, upstreamModel: string): Bytes {
  const object = scanObject(bytes, 0, MODEL);
  if (object === null) return bytes;
  const [member] = object.members;
  const value = JSON.stringify(upstreamModel);
  if (member === undefined) return applyEdits(bytes, [appendMember(object, `"model":${value}`)]);
  return model === upstreamModel ? bytes : applyEdits(bytes, [replaceValue(member, value)]);
}

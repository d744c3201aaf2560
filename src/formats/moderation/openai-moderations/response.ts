import { type Billable, ONE_REQUEST } from '../../../domain/money/quantity.ts';
import { appendMember, applyEdits, type Edit, replaceValue } from '../../shared/json/json-patch.ts';
import { MemberNames, scanObject } from '../../shared/json/json-scan.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { isRecord, objectOf } from '../../shared/json/record.ts';
import type { AnswerPatch } from '../../wire.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const MODEL = new MemberNames('model');
/** Bytes of English text for each token, for a provider that reports no count. */
const BYTES_PER_TOKEN = 4;

/** Returns the upstream's answer with the requested model's name and `_routing`; `null` if the body is not a moderation. */
export function relayAnswer(bytes: Uint8Array, { publicModel, routing }: AnswerPatch): Bytes | null {
  const body = parseJsonBytes(bytes);
  const object = isRecord(body) && Array.isArray(body.results) ? scanObject(bytes, 0, MODEL) : null;
  if (object === null) return null;
  const edits: Edit[] = object.members.map((member) => replaceValue(member, JSON.stringify(publicModel)));
  return applyEdits(bytes, [...edits, appendMember(object, `"_routing":${routing.json}`)]);
}

/** Returns the tokens that the provider has counted (Mistral), otherwise an estimate from the size of the request. */
export function billableModeration(answer: Uint8Array, request: Uint8Array): Billable {
  const body = parseJsonBytes(answer);
  const usage = objectOf(objectOf(body).usage);
  const told = [usage.prompt_tokens, usage.total_tokens].find(
    (count) => Number.isSafeInteger(count) && Number(count) >= 0,
  );
  const input = told === undefined ? Math.ceil(request.length / BYTES_PER_TOKEN) : Number(told);
  const source = told === undefined ? 'estimated' : 'reported';
  return { quantities: [{ unit: 'input_token', amount: input }, ONE_REQUEST], source };
}

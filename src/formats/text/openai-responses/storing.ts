import { exactOf } from '../../shared/json/exact-json.ts';
import { applyEdits, type Edit, replaceValue } from '../../shared/json/json-patch.ts';
import { MemberNames, type MemberSpan } from '../../shared/json/json-scan.ts';
import { isRecord } from '../../shared/json/record.ts';
import { membersOf } from '../../shared/request/body.ts';
import type { ParsedRequest } from '../client-request.ts';
import type { AnswerStoring, AnswersAtProvider, StoredTurn } from '../provider-state.ts';
import type { ContinuedRequest } from './answer.encode.ts';
import { sealedInputOf } from './compaction.ts';
import { asStored, itemsOf } from './content.ts';

type Json = Readonly<Record<string, unknown>>;

const MEMBERS = new MemberNames('input', 'previous_response_id');

function wants({ body, call }: ParsedRequest): boolean {
  return (call.purpose === 'generate' || call.purpose === 'warm-up') && body.store !== false;
}

function previousId({ body }: ParsedRequest): string | null {
  return typeof body.previous_response_id === 'string' ? body.previous_response_id : null;
}

/**
 * Returns the request with the conversation so far inserted: the input and the output of each earlier turn. Earlier
 * `instructions` do not carry over (OpenAI, API reference, `instructions`). All other bytes of the client stay unchanged.
 */
function continueFrom(request: ParsedRequest, turns: readonly StoredTurn[]): ContinuedRequest {
  const earlier = turns.flatMap(itemsOfTurn);
  const stored = new Map(earlier.flatMap((item) => (typeof item.id === 'string' ? [[item.id, item] as const] : [])));
  const own = itemsOf(request.body.input).map((item) => stored.get(referenceOf(item)) ?? item);
  const input = [...earlier.map(asInput), ...own];
  const { previous_response_id: continues, ...others } = request.body;
  return {
    ...request,
    bytes: withInput(request, JSON.stringify(input.map(exactOf))),
    body: { ...others, input },
    continues: String(continues),
  };
}

function references({ body }: ParsedRequest): readonly string[] {
  if (!Array.isArray(body.input)) return [];
  return body.input.flatMap((item: unknown) => (isRecord(item) ? referenceOf(item) : '') || []);
}

/**
 * Returns the request with its references replaced by items that any upstream can read. Items that only their storing provider
 * can read are left out.
 */
function withReferences(request: ParsedRequest, turns: readonly StoredTurn[]): ParsedRequest {
  const stored = new Map<string, Json>();
  for (const item of turns.flatMap(keptItems)) if (typeof item.id === 'string') stored.set(item.id, item);
  const input = itemsOf(request.body.input).flatMap((item) => {
    const found = stored.get(referenceOf(item));
    if (found === undefined) return [item];
    return found.type === 'reasoning' && !found.encrypted_content ? [] : [withoutId(found)];
  });
  return {
    ...request,
    bytes: withInput(request, JSON.stringify(input.map(exactOf))),
    body: { ...request.body, input },
  };
}

function keptItems({ inputJson, responseJson }: StoredTurn): readonly Json[] {
  const response: unknown = JSON.parse(responseJson);
  return [...itemsOf(JSON.parse(inputJson)), ...itemsOf(isRecord(response) ? response.output : [])];
}

function withInput(request: ParsedRequest, inputJson: string): Uint8Array {
  const object = membersOf(request, MEMBERS);
  const hasInput = object.members.some(({ name }) => name === 'input');
  // The id is set to null, which the API treats as missing. If the request has no input of its own, the earlier turns
  // replace the id.
  const edit = (member: MemberSpan): Edit => {
    if (member.name === 'input') return replaceValue(member, inputJson);
    return hasInput
      ? replaceValue(member, 'null')
      : { start: member.keyStart, end: member.valueEnd, text: `"input":${inputJson}` };
  };
  return applyEdits(request.bytes, object.members.map(edit));
}

/** Returns an earlier turn's items in a form for an upstream that has stored none of them. */
function itemsOfTurn({ inputJson, responseJson }: StoredTurn): Json[] {
  const response: unknown = JSON.parse(responseJson);
  const output = isRecord(response) && Array.isArray(response.output) ? response.output.filter(isRecord) : [];
  // Only the provider that stored an item without encrypted content can read it. In that case the engine continues by its
  // id.
  const isKept = (item: Json) => item.type !== 'reasoning' || Boolean(item.encrypted_content);
  const kept = output.filter(isKept);
  // An item's id may refer to the reasoning before it, and OpenAI refuses one without the other.
  return [
    ...itemsOf(JSON.parse(inputJson)).filter(isKept),
    ...(kept.length === output.length ? kept : kept.map(withoutId)),
  ];
}

/** Removes the gateway's ids of input items, which have no meaning for an upstream. */
function asInput(item: Json): Json {
  const isClients = item.type === undefined || (item.type === 'message' && item.role !== 'assistant');
  return isClients || String(item.type).endsWith('_output') ? withoutId(item) : item;
}

function withoutId(item: Json): Json {
  if (item.type === 'reasoning' || item.type === 'image_generation_call') return item;
  const { id: _, ...others } = item;
  return others;
}

function referenceOf({ type, id, role }: Json): string {
  const isReference = type === 'item_reference' || (typeof type !== 'string' && role === undefined);
  return isReference && typeof id === 'string' ? id : '';
}

function inputItems(request: ParsedRequest, newId: (prefix: string) => string): string {
  return JSON.stringify(itemsOf(sealedInputOf(request)).map((item) => asStored(item, newId)));
}

/** Returns the answer's id. Only an answer that was completed is stored. */
function answerId(answerJson: string): string | null {
  let answer: unknown;
  try {
    answer = JSON.parse(answerJson);
  } catch {
    return null;
  }
  if (!isRecord(answer) || typeof answer.id !== 'string') return null;
  return answer.status === 'completed' || answer.status === 'incomplete' ? answer.id : null;
}

/** The form of response ids at OpenAI and at compatible providers. No other text may become part of a URL. */
const ID = /^[A-Za-z0-9][\w-]{0,255}$/;
/** The largest page size. */
const PAGE = '100';

/** `GET /v1/responses/{id}` and `GET /v1/responses/{id}/input_items` (OpenAI, API reference, "Get a model response"). */
const atProvider: AnswersAtProvider = {
  url(createUrl, id) {
    if (!ID.test(id)) return null;
    const url = new URL(createUrl);
    url.pathname += `/${id}`;
    return url.href;
  },
  inputUrl(answerUrl, after) {
    const url = new URL(answerUrl);
    url.pathname += '/input_items';
    url.searchParams.set('order', 'asc');
    url.searchParams.set('limit', PAGE);
    if (after !== null) url.searchParams.set('after', after);
    return url.href;
  },
  answer(value, id) {
    if (!isRecord(value) || value.id !== id || !Array.isArray(value.output)) return null;
    const { previous_response_id: previous } = value;
    return { previousId: typeof previous === 'string' ? previous : null };
  },
  inputPage(value) {
    if (!isRecord(value) || !Array.isArray(value.data)) return null;
    const { data, has_more: hasMore } = value;
    const last: unknown = data.at(-1);
    const next = hasMore === true && isRecord(last) && typeof last.id === 'string' ? last.id : null;
    return { items: data, next };
  },
  itemIds({ inputJson, responseJson }: StoredTurn) {
    const response: unknown = JSON.parse(responseJson);
    return { input: idsOf(JSON.parse(inputJson)), output: idsOf(isRecord(response) ? response.output : []) };
  },
};

function idsOf(items: unknown): ReadonlySet<string> {
  const list = Array.isArray(items) ? items.filter(isRecord) : [];
  return new Set(list.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])));
}

/**
 * How the gateway stores answers for its clients, so that `previous_response_id` works over any provider (contract, POST
 * /v1/responses).
 */
export const storing: AnswerStoring = {
  wants,
  previousId,
  continueFrom,
  references,
  withReferences,
  inputItems,
  answerId,
  atProvider,
};

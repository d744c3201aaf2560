import {
  countOfInputs,
  type EmbeddingAnswer,
  type EmbeddingEncoding,
  type EmbeddingRequest,
  type EmbeddingVector,
} from '../../../domain/embeddings/embeddings.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { garbage } from '../../shared/failure/answer-failure.ts';
import { appendMember, applyEditsTo, type Edit, replaceValue } from '../../shared/json/json-patch.ts';
import { Turns } from '../../shared/json/large-json.ts';
import { objectOf } from '../../shared/json/record.ts';
import type { AnswerPatch } from '../../wire.ts';
import { noVectors, orderedItems, reportedTokens, tokenCount } from '../shared/embedding-items.ts';
import { type ReadItem, type ReadMembers, readMembers } from '../shared/embedding-members.ts';
import { floatsIn, numbersIn, vectorAsBase64, vectorAsList } from '../shared/vector-text.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** An upstream's answer in the format of the gateway's clients, with all of its other members. */
class WrittenAnswer implements EmbeddingAnswer {
  constructor(
    readonly bytes: Uint8Array,
    readonly read: ReadMembers,
    /** In the order of the inputs, like `vectors`. */
    readonly items: readonly ReadItem[],
    readonly vectors: readonly EmbeddingVector[],
    readonly tokens: number | null,
    readonly model: string | null,
  ) {}

  get hasMore(): boolean {
    return this.items.some(({ value }) => Object.keys(value).some((name) => !ITEM_MEMBERS.has(name)));
  }
}

const ITEM_MEMBERS: ReadonlySet<string> = new Set(['object', 'index', 'embedding']);

/** Reads vectors in either encoding, whichever was requested. */
export async function decodeAnswer(bytes: Uint8Array, request: EmbeddingRequest): Promise<EmbeddingAnswer | Failure> {
  const read = await readMembers(bytes);
  if (read === null) return garbage('The upstream answered 200 with a body that is not a JSON object.');
  const { values } = read;
  if (read.items === null) return bareVectors(values, countOfInputs(request.inputs));
  const items = orderedItems(read.items, countOfInputs(request.inputs));
  if (items instanceof Failure) return items;
  const turns = new Turns();
  const vectors: EmbeddingVector[] = [];
  for (const { value } of items) {
    const vector = numbersIn(value.embedding) ?? floatsIn(value.embedding);
    if (vector === null) return garbage('The upstream returned an invalid vector.');
    vectors.push(vector);
    if (turns.isOver) await turns.next();
  }
  const model = typeof values.model === 'string' ? values.model : null;
  return new WrittenAnswer(bytes, read, items, vectors, reportedTokens(values.usage), model);
}

/** Decodes Ollama's own shape, which some servers return from every endpoint: lists of numbers without objects around them. */
function bareVectors(values: Readonly<Record<string, unknown>>, inputs: number): EmbeddingAnswer | Failure {
  const { embeddings, embedding, prompt_eval_count: tokens, model } = values;
  const lists = Array.isArray(embeddings) ? embeddings : Array.isArray(embedding) ? [embedding] : null;
  if (lists === null) return noVectors(values);
  if (lists.length !== inputs) {
    return garbage(`The upstream returned ${lists.length} vectors for ${inputs} inputs.`);
  }
  const vectors = lists.map((list) => numbersIn(list)).filter((vector) => vector !== null);
  if (vectors.length !== lists.length) return garbage('The upstream returned an invalid vector.');
  return { vectors, tokens: tokenCount(tokens), model: typeof model === 'string' ? model : null };
}

/** `tokens` is the charged number, either reported or counted. */
export interface EmbeddingPatch extends AnswerPatch {
  readonly tokens: number;
}

/** Returns the answer in the client's encoding. All other bytes of the upstream's answer stay unchanged. */
export async function encodeAnswer(
  answer: EmbeddingAnswer,
  { encoding }: Pick<EmbeddingRequest, 'encoding'>,
  patch: EmbeddingPatch,
): Promise<Bytes | string | Failure> {
  const written = answer instanceof WrittenAnswer ? answer : null;
  const isAsAsked = written?.items.every((item, index) => isItemAsAsked(written, item, index, encoding)) === true;
  const data = isAsAsked ? null : await dataText(answer.vectors, written?.items ?? null, encoding);
  if (data instanceof Failure) return data;
  const members = {
    object: '"list"',
    data,
    model: JSON.stringify(patch.publicModel),
    usage:
      answer.tokens === null || written === null
        ? usageText(patch.tokens, answer.tokens === null)
        : usageAsReported(written, answer.tokens),
    _routing: patch.routing.json,
  };
  return written === null ? objectText(members) : await patched(written, members);
}

function isItemAsAsked({ read }: WrittenAnswer, item: ReadItem, index: number, encoding: EmbeddingEncoding): boolean {
  const { object, index: own, embedding } = item.value;
  const isEncoded = typeof embedding === 'string';
  return (
    read.items?.[index] === item && object === 'embedding' && own === index && isEncoded === (encoding === 'base64')
  );
}

/** Returns the list of items. An upstream's other members of an item are kept. */
async function dataText(
  vectors: readonly EmbeddingVector[],
  items: readonly ReadItem[] | null,
  encoding: EmbeddingEncoding,
): Promise<string | Failure> {
  const turns = new Turns();
  const texts: string[] = [];
  for (const [index, vector] of vectors.entries()) {
    const embedding = vectorText(vector, encoding);
    if (embedding === null) return garbage('The upstream returned a number that does not fit a float32.');
    const { object: _object, index: _index, embedding: _embedding, ...others } = items?.[index]?.value ?? {};
    const rest = JSON.stringify(others).slice(1, -1);
    texts.push(`{"object":"embedding","index":${index},"embedding":${embedding}${rest === '' ? '' : `,${rest}`}}`);
    if (turns.isOver) await turns.next();
  }
  return `[${texts.join(',')}]`;
}

function vectorText(vector: EmbeddingVector, encoding: EmbeddingEncoding): string | null {
  if (encoding === 'float') return vectorAsList(vector);
  const text = vectorAsBase64(vector);
  return text === null ? null : `"${text}"`;
}

function usageText(tokens: number, isEstimate: boolean): string {
  return `{"prompt_tokens":${tokens},"total_tokens":${tokens}${isEstimate ? ',"estimated":true' : ''}}`;
}

/** Returns `null` if the usage already has both members that clients read. */
function usageAsReported({ read }: WrittenAnswer, tokens: number): string | null {
  const { usage } = read.values;
  const { prompt_tokens: prompt, total_tokens: total, ...others } = objectOf(usage);
  if (typeof prompt === 'number' && typeof total === 'number') return null;
  return JSON.stringify({ prompt_tokens: prompt ?? tokens, total_tokens: total ?? tokens, ...others });
}

/** Members by name, as JSON text; `null` for a member that stays unchanged. */
type Members = Readonly<Record<string, string | null>>;

function objectText(members: Members): string {
  return `{${Object.entries(members)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`;
}

function patched({ bytes, read }: WrittenAnswer, members: Members): Bytes | Promise<Bytes> {
  const { object, values } = read;
  const edits: Edit[] = [];
  const added = new Map(Object.entries(members));
  for (const member of object.members) {
    const text = added.get(member.name);
    if (text === undefined) continue;
    added.delete(member.name);
    const isRight = text === null || (member.name === 'object' && values.object === 'list');
    if (!isRight) edits.push(replaceValue(member, text));
  }
  const more = [...added].filter(([, text]) => text !== null).map(([name, text]) => `"${name}":${text}`);
  return applyEditsTo(bytes, more.length === 0 ? edits : [...edits, appendMember(object, more.join(','))]);
}

import type { CacheControl } from '../../../domain/cache/cache.ts';
import type { EmbeddingEncoding, EmbeddingInputs, EmbeddingRequest } from '../../../domain/embeddings/embeddings.ts';
import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { applyEdits, type Edit, removeMembers, replaceValue } from '../../shared/json/json-patch.ts';
import { MemberNames, type MemberSpan, scanObject, skipValue } from '../../shared/json/json-scan.ts';
import { parseBody } from '../../shared/request/body.ts';
import type { BodySource } from '../../shared/request/body-scan.ts';
import { CACHE_CONTROL_NAMES, readCacheControl } from '../../shared/request/cache-control.ts';
import { type FoundNames, GovernedNames } from '../../shared/request/governed-names.ts';
import { missingField, modelOf, wrongField } from '../../shared/request/request-fields.ts';
import type { EncodedBody, OwnMembers } from '../../wire.ts';
import { noTokens } from '../shared/embedding-request.ts';
import type { EmbeddingTarget } from '../wire.ts';

/** OpenAI's published document, `CreateEmbeddingRequest`; it also limits a request to 300,000 tokens. */
const MOST_INPUTS = 2_048;
export const MOST_VALUES = 400_000;
/** The largest possible token id: 32 bits. */
const LARGEST_TOKEN = 2 ** 32 - 1;

const INPUT_FORMS = 'a string, a list of strings, a list of token ids, or a list of such lists';

/** Members that the gateway reads. Each may occur only once, and only in its exact spelling. */
export const NAMES = new GovernedNames({
  model: true,
  input: true,
  encoding_format: true,
  dimensions: true,
  user: true,
  ...CACHE_CONTROL_NAMES,
});

export interface ParsedEmbeddings {
  readonly request: EmbeddingRequest;
  /** The member names found in the body. They may include variants of the names that the gateway reads. */
  readonly names: FoundNames;
  /** The body's settings for the gateway's cache; `null` if it says nothing. */
  readonly cacheControl: CacheControl | null;
  /** Whether an upstream reads the body in the same way as the gateway. */
  readonly isUnambiguous: boolean;
}

/** Reads and checks a client's request. Members that OpenAI does not document are sent on unchecked. */
export function parseRequest(source: BodySource): ParsedEmbeddings | Failure {
  const parsed = parseBody(source, '`model` and `input`', NAMES, MOST_VALUES);
  if (parsed instanceof Failure) return parsed;
  const { bytes, scan } = parsed;
  const { cache_control: _control, ...body } = parsed.body;
  const model = modelOf(body.model, 'embedding');
  if (model instanceof Failure) return model;
  const inputs = inputsOf(body.input);
  if (inputs instanceof Failure) return inputs;
  const encoding = encodingOf(body.encoding_format);
  if (encoding instanceof Failure) return encoding;
  const dimensions = dimensionsOf(body.dimensions);
  if (dimensions instanceof Failure) return dimensions;
  const user = body.user ?? null;
  if (user !== null && typeof user !== 'string') return wrongField('invalid_type', 'user', 'must be a string');
  const cacheControl = readCacheControl(parsed.body);
  if (cacheControl instanceof Failure) return cacheControl;
  const request = { model, inputs, encoding, dimensions, user, bytes, body };
  return { request, names: scan, cacheControl, isUnambiguous: scan.isUnambiguous };
}

function encodingOf(encoding: unknown): EmbeddingEncoding | Failure {
  if (encoding === undefined || encoding === null) return 'float';
  if (encoding === 'float' || encoding === 'base64') return encoding;
  const code = typeof encoding === 'string' ? 'invalid_value' : 'invalid_type';
  return wrongField(code, 'encoding_format', 'must be `float` or `base64`');
}

function dimensionsOf(dimensions: unknown): number | null | Failure {
  if (dimensions === undefined || dimensions === null) return null;
  const rule = 'must be a whole number of at least 1; leave it out for the model’s own length';
  if (typeof dimensions !== 'number' || !Number.isInteger(dimensions))
    return wrongField('invalid_type', 'dimensions', rule);
  return Number.isSafeInteger(dimensions) && dimensions >= 1
    ? dimensions
    : wrongField('invalid_value', 'dimensions', rule);
}

function inputsOf(input: unknown): EmbeddingInputs | Failure {
  if (input === undefined || input === null) return missingField('input', INPUT_FORMS);
  if (typeof input === 'string') return input === '' ? empty('input') : { kind: 'texts', texts: [input] };
  if (!Array.isArray(input)) return wrongField('invalid_type', 'input', `must be ${INPUT_FORMS}`);
  const [first] = input;
  if (input.length === 0) return empty('input');
  if (typeof first === 'number') return tokensOf('input', input, (tokens) => ({ kind: 'tokens', lists: [tokens] }));
  if (input.length > MOST_INPUTS) {
    const rule = `has ${input.length} inputs; the limit is ${MOST_INPUTS}. Send the rest in further requests`;
    return wrongField('invalid_value', 'input', rule);
  }
  return typeof first === 'string' ? textsOf(input) : tokenListsOf(input);
}

function textsOf(input: readonly unknown[]): EmbeddingInputs | Failure {
  const texts: string[] = [];
  for (const [index, text] of input.entries()) {
    if (typeof text !== 'string') return mixed(index, 'a text');
    if (text === '') return empty(`input[${index}]`);
    texts.push(text);
  }
  return { kind: 'texts', texts };
}

function tokenListsOf(input: readonly unknown[]): EmbeddingInputs | Failure {
  const lists: (readonly number[])[] = [];
  for (const [index, list] of input.entries()) {
    if (!Array.isArray(list)) {
      return index === 0
        ? wrongField('invalid_type', 'input[0]', `must be a string or a list of token ids: \`input\` is ${INPUT_FORMS}`)
        : mixed(index, 'a list of token ids');
    }
    if (list.length === 0) return empty(`input[${index}]`);
    const tokens = tokensOf(`input[${index}]`, list, (checked) => checked);
    if (tokens instanceof Failure) return tokens;
    lists.push(tokens);
  }
  return { kind: 'tokens', lists };
}

function tokensOf<Result>(
  path: string,
  list: readonly unknown[],
  then: (tokens: readonly number[]) => Result,
): Result | Failure {
  const tokens: number[] = [];
  for (let index = 0; index < list.length; index++) {
    const token = list[index];
    if (typeof token !== 'number' || !Number.isInteger(token)) {
      return wrongField('invalid_type', `${path}[${index}]`, 'must be a token id (a whole number), like the first one');
    }
    if (token < 0 || token > LARGEST_TOKEN) {
      return wrongField('invalid_value', `${path}[${index}]`, `must be a token id from 0 to ${LARGEST_TOKEN}`);
    }
    tokens.push(token);
  }
  return then(tokens);
}

function mixed(index: number, kind: string): Failure {
  return wrongField(
    'invalid_type',
    `input[${index}]`,
    `must be ${kind}, like the first one; send other inputs in a separate request`,
  );
}

function empty(param: string): Failure {
  return wrongField('invalid_value', param, 'is empty; omit it, or send text');
}

/** Returns the request once for each part of its inputs. */
export function partsOf(request: EmbeddingRequest, parts: readonly EmbeddingInputs[]): readonly EmbeddingRequest[] {
  if (parts.length === 1) return [request];
  const { bytes } = request;
  const [input] = membersIn(bytes, 'input');
  if (input === undefined) throw new Error('a request for embeddings must have inputs');
  return parts.map((inputs) => {
    const text = JSON.stringify(inputs.kind === 'texts' ? inputs.texts : inputs.lists);
    return { ...request, inputs, bytes: applyEdits(bytes, [replaceValue(input, text)]) };
  });
}

/**
 * Returns the client's bytes with the upstream's model id and the provider's names for members, and without the gateway's own
 * members. Fails (400) for token ids at a server that does not accept them.
 */
export function encodeRequest(
  { bytes, body, inputs }: EmbeddingRequest,
  target: EmbeddingTarget,
): EncodedBody | Failure {
  const { upstreamModel, members = NO_MEMBERS, embeddings } = target;
  if (inputs.kind === 'tokens' && embeddings?.isTextOnly) return noTokens();
  const names = Object.keys(members).filter((name) => Object.hasOwn(body, name));
  const unsent = embeddings?.hasBase64 ? GATEWAYS_OWN : GATEWAYS_OWN_AND_ENCODING;
  const lost = new Map(
    names.flatMap((name) => lossOf(name, members[name] ?? null, body)).map((loss) => [loss.field, loss]),
  );
  const found = membersIn(bytes, 'model', ...unsent, ...names);
  const edits = found.flatMap((member): Edit[] => {
    const { name, keyStart } = member;
    if (name === 'model') return [replaceValue(member, JSON.stringify(upstreamModel))];
    if (lost.has(name) || unsent.includes(name)) return [];
    return [{ start: keyStart, end: skipValue(bytes, keyStart), text: JSON.stringify(members[name]) }];
  });
  const written = applyEdits(bytes, edits);
  const removed = [...lost.keys(), ...unsent.filter((own) => found.some(({ name }) => name === own))];
  return { body: removed.length === 0 ? written : without(written, removed), losses: [...lost.values()] };
}

const GATEWAYS_OWN: readonly string[] = ['cache_control'];
/** Nothing is lost without the encoding: the gateway converts the vectors to the client's. */
const GATEWAYS_OWN_AND_ENCODING: readonly string[] = [...GATEWAYS_OWN, 'encoding_format'];

const NO_MEMBERS: OwnMembers = {};

/**
 * Returns the loss of a member that the provider names differently. Nothing is lost if the body does not yet use the provider's
 * name.
 */
function lossOf(field: string, own: string | null, body: Readonly<Record<string, unknown>>): Loss[] {
  if (own === null) return [{ field, verdict: 'dropped', why: 'the provider does not support this field' }];
  if (!Object.hasOwn(body, own)) return [];
  return [{ field, verdict: 'dropped', why: `the request also has \`${own}\`, which this provider reads instead` }];
}

function membersIn(bytes: Uint8Array, ...names: readonly string[]): readonly MemberSpan[] {
  return scanObject(bytes, 0, new MemberNames(...names))?.members ?? [];
}

function without(bytes: Uint8Array<ArrayBuffer>, names: readonly string[]): Uint8Array<ArrayBuffer> {
  const object = scanObject(bytes, 0, new MemberNames(...names));
  return object === null ? bytes : applyEdits(bytes, removeMembers(bytes, object, object.members).edits);
}

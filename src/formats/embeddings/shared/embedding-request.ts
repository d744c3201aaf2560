import { type EmbeddingRequest, INPUT_TYPES, type InputType } from '../../../domain/embeddings/embeddings.ts';
import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { addMembers, setMember } from '../../shared/json/record.ts';
import type { EncodedBody } from '../../wire.ts';

/* Shared by embedding wires that write their own body and accept only texts. */

/** A provider's names for the purposes of embedding a text; an absent purpose has no name there. */
export type InputTypeNames = Readonly<Partial<Record<InputType, string>>>;

/** The request members that a provider accepts besides the texts. */
export interface RequestRules {
  readonly inputTypes: InputTypeNames;
  /** Whether the provider can shorten vectors. */
  readonly hasDimensions: boolean;
  /** The provider's own members, sent as the client wrote them. */
  readonly own: readonly string[];
}

export interface ReadTexts {
  readonly texts: readonly string[];
  /** The provider's name; `null` if the client gave no type, or the provider has no name for it. */
  readonly inputType: string | null;
  readonly dimensions: number | null;
  /** The provider's own members. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly losses: readonly Loss[];
}

const READ_MEMBERS: ReadonlySet<string> = new Set(['model', 'input', 'encoding_format', 'dimensions', 'input_type']);

/**
 * Returns the parts of a request that are sent to such a provider. Fails (400) for token ids, which belong to one tokenizer, and
 * for an unknown `input_type`.
 */
export function readTexts({ inputs, dimensions, body }: EmbeddingRequest, rules: RequestRules): ReadTexts | Failure {
  if (inputs.kind === 'tokens') return noTokens();
  const asked = inputTypeOf(body.input_type);
  if (asked instanceof Failure) return asked;
  const inputType = asked === null ? null : (rules.inputTypes[asked] ?? null);
  const losses: Loss[] = [];
  if (asked !== null && inputType === null) {
    losses.push({ field: 'input_type', verdict: 'dropped', why: `the provider has no equivalent of \`${asked}\`` });
  }
  const own: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    if (value === null || READ_MEMBERS.has(name)) continue;
    if (rules.own.includes(name)) setMember(own, name, value);
    else losses.push(noSuchMember(name));
  }
  if (dimensions !== null && !rules.hasDimensions) losses.push(noSuchMember('dimensions'));
  return { texts: inputs.texts, inputType, dimensions: rules.hasDimensions ? dimensions : null, own, losses };
}

function noSuchMember(field: string): Loss {
  return { field, verdict: 'dropped', why: 'the provider does not support this field' };
}

/** Returns the body with these members; those that are `null` are left out. */
export function encodedBody(
  members: Readonly<Record<string, unknown>>,
  { own, losses }: Pick<ReadTexts, 'own' | 'losses'>,
): EncodedBody {
  const body = addMembers({}, own);
  for (const [name, value] of Object.entries(members)) if (value !== null) setMember(body, name, value);
  return { body: new TextEncoder().encode(JSON.stringify(body)), losses };
}

function inputTypeOf(value: unknown): InputType | null | Failure {
  if (value === undefined || value === null) return null;
  const found = INPUT_TYPES.find((type) => type === value);
  if (found !== undefined) return found;
  const known = INPUT_TYPES.map((type) => `\`${type}\``).join(', ');
  return new Failure(typeof value === 'string' ? 'invalid_value' : 'invalid_type', {
    message: `\`input_type\` must be one of ${known}.`,
    param: 'input_type',
  });
}

export function noTokens(): Failure {
  return new Failure('unsupported_parameter', {
    message: '`input` has token ids, but the provider of this model accepts only text.',
    param: 'input',
    retry: 'other-target',
    hint: 'Send the text instead.',
  });
}

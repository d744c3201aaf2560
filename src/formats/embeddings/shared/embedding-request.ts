import { type EmbeddingRequest, INPUT_TYPES, type InputType } from '../../../domain/embeddings/embeddings.ts';
import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { addMembers, setMember } from '../../shared/json/record.ts';
import type { EncodedBody } from '../../wire.ts';

/* What wires of embeddings have in common that write a body of their own and take texts alone. */

/** How a provider names what a text is embedded for; what is absent has no name there. */
export type InputTypeNames = Readonly<Partial<Record<InputType, string>>>;

/** What a provider takes of a request beside the texts. */
export interface RequestRules {
  readonly inputTypes: InputTypeNames;
  /** Whether it can shorten vectors. */
  readonly hasDimensions: boolean;
  /** Its own members, sent as the client wrote them. */
  readonly own: readonly string[];
}

export interface ReadTexts {
  readonly texts: readonly string[];
  /** In the provider's words; `null` if the client did not say it, or the provider has no word for it. */
  readonly inputType: string | null;
  readonly dimensions: number | null;
  /** The provider's own members. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly losses: readonly Loss[];
}

const READ_MEMBERS: ReadonlySet<string> = new Set(['model', 'input', 'encoding_format', 'dimensions', 'input_type']);

/**
 * What of a request goes to such a provider. A failure (400) for token ids, which no other tokenizer understands, and for an
 * `input_type` that does not exist.
 */
export function readTexts({ inputs, dimensions, body }: EmbeddingRequest, rules: RequestRules): ReadTexts | Failure {
  if (inputs.kind === 'tokens') return noTokens();
  const asked = inputTypeOf(body.input_type);
  if (asked instanceof Failure) return asked;
  const inputType = asked === null ? null : (rules.inputTypes[asked] ?? null);
  const losses: Loss[] = [];
  if (asked !== null && inputType === null) {
    losses.push({ field: 'input_type', verdict: 'dropped', why: `the provider has no word for \`${asked}\`` });
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
  return { field, verdict: 'dropped', why: 'the provider has no such member' };
}

/** The body with its members; those that are `null` are left out. */
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
    message: '`input` has token ids, and the provider of this model takes texts alone.',
    param: 'input',
    retry: 'other-target',
    hint: 'Send the texts themselves.',
  });
}

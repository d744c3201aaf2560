import { asObject } from '../../shared/json.ts';
import type { Example, ReceivedRequest, Rule, Source } from '../rule.ts';

/* Rules of services that embed or rank texts. */

/** The place of a service's texts, and their name in its messages. */
export interface TextsIn {
  of(body: Readonly<Record<string, unknown>>): readonly unknown[];
  /** Returns the members of an example's body with these texts. */
  as(texts: readonly string[]): Readonly<Record<string, unknown>>;
}

/** One input or a list of them, as at OpenAI. */
export function inputsIn(member: string): TextsIn {
  return {
    of: (body) => {
      const value = body[member];
      return Array.isArray(value) && typeof value[0] !== 'number' ? value : [value];
    },
    as: (texts) => ({ [member]: texts }),
  };
}

interface BoundRule {
  readonly id: string;
  readonly texts: TextsIn;
  readonly most: number;
  readonly source: Source;
  readonly family?: NonNullable<Rule['family']>;
  readonly status?: number;
  readonly message: (count: number) => string;
}

/** The service limits the texts in one request. */
export function mostTexts({ id, texts, most, source, family, status, message }: BoundRule): Rule {
  return {
    ...{ id, source, ...(family && { family }), ...(status !== undefined && { status }) },
    statement: `A request must have at most ${most} text${most === 1 ? '' : 's'}.`,
    refuses: ({ body }) => {
      const { length } = texts.of(asObject(body));
      return length > most ? message(length) : null;
    },
    examples: {
      refused: [{ body: texts.as(new Array<string>(most + 1).fill('Hi')) }],
      accepted: [{ body: texts.as(new Array<string>(most).fill('Hi')) }],
    },
  };
}

/**
 * With any tokenizer, prose has at least one token per five characters, so the real service also refuses what
 * these rules refuse.
 */
const MOST_CHARACTERS_PER_TOKEN = 5;

function leastTokensOf(text: unknown): number {
  if (Array.isArray(text)) return text.length;
  return typeof text === 'string' ? Math.floor(text.length / MOST_CHARACTERS_PER_TOKEN) : 0;
}

/** The service limits the total tokens of all texts in one request. */
export function mostTokens({ id, texts, most, source, family, status, message }: BoundRule): Rule {
  const half = 'word '.repeat(Math.ceil(most / 2) + 1);
  return {
    ...{ id, source, ...(family && { family }), ...(status !== undefined && { status }) },
    statement: `The texts of a request must have at most ${most} tokens in total.`,
    refuses: ({ body }) => {
      const sum = texts.of(asObject(body)).reduce<number>((total, text) => total + leastTokensOf(text), 0);
      return sum > most ? message(sum) : null;
    },
    examples: { refused: [{ body: texts.as([half, half]) }], accepted: [{ body: texts.as([half]) }] },
  };
}

/** The service does not accept token ids in place of texts. */
export function textsOnly(id: string, texts: TextsIn, source: Source, message: string): Rule {
  return {
    ...{ id, source },
    statement: 'Inputs must be texts; token ids are refused.',
    refuses: ({ body }) => (texts.of(asObject(body)).every((text) => typeof text === 'string') ? null : message),
    examples: { refused: [{ body: { input: [1, 2] } }, { body: { input: [[1], [2]] } }] },
  };
}

/** The service refuses undocumented members. */
export function noOtherMembers(
  known: readonly string[],
  { source, status, message }: Pick<BoundRule, 'source' | 'status'> & { message(member: string): string },
  [first, ...others]: readonly [Example, ...Example[]],
): Rule {
  const refuses = ({ body }: ReceivedRequest) => {
    const other = Object.keys(asObject(body)).find((name) => !known.includes(name));
    return other === undefined ? null : message(other);
  };
  return {
    ...{ id: 'unknown-members', source, ...(status !== undefined && { status }), refuses },
    statement: `A request must have no fields except ${known.map((name) => `\`${name}\``).join(', ')}.`,
    examples: { refused: [first, ...others] },
  };
}

/** A member may have only these values. */
export function onlyValues(member: string, values: readonly unknown[], source: Source, message: string): Rule {
  return {
    id: member.replaceAll('_', '-'),
    source,
    statement: `\`${member}\` must be ${values.map((value) => `\`${value}\``).join(' or ')}, or omitted.`,
    refuses: ({ body }) => {
      const value = asObject(body)[member] ?? [];
      return [value].flat().every((one) => values.includes(one)) ? null : message;
    },
    examples: { refused: [{ body: { [member]: 'nonsense' } }] },
  };
}

import { asObject } from '../../shared/json.ts';
import type { Rule } from '../rule.ts';
import { bodyOf, refusedMember } from '../shared/members.ts';
import {
  ALWAYS_REASONING,
  issue,
  NOT_REASONING,
  REASONING_BY_DEFAULT,
  REASONING_WHEN_TOLD,
  recording,
} from './families.ts';

/** The place of the effort in a wire's requests. */
export interface EffortPlace {
  /** Its name in error messages. */
  readonly name: string;
  in(body: Readonly<Record<string, unknown>>): unknown;
  /** Returns the members of a request with this effort. */
  with(effort: string): Readonly<Record<string, unknown>>;
}

export const CHAT_EFFORT: EffortPlace = {
  name: 'reasoning_effort',
  in: ({ reasoning_effort }) => reasoning_effort,
  with: (reasoning_effort) => ({ reasoning_effort }),
};

export const RESPONSES_EFFORT: EffortPlace = {
  name: 'reasoning.effort',
  in: ({ reasoning }) => asObject(reasoning).effort,
  with: (effort) => ({ reasoning: { effort } }),
};

/** A member and a value that is refused. The default source is that of `temperature` and `top_p`. */
type GuardedMember = readonly [member: string, refused: unknown, source?: Rule['source']];

/** OpenAI's guide to its latest models, on parameters that require the effort `none`. */
export const COMPATIBILITY: Rule['source'] = {
  url: 'https://developers.openai.com/api/docs/guides/latest-model?model=gpt-5.4',
  checked: '2026-11-29',
};

/** Makes rules for members that a model refuses while it reasons, unless their value is the default. */
export function whileReasoning(place: EffortPlace, members: readonly GuardedMember[]) {
  const none = place.with('none');
  return members.flatMap(([member, value, source]): readonly Rule[] => {
    const isDefault = (given: unknown) => given === null || given === 1 || given === false || given === undefined;
    const isNone = (body: Readonly<Record<string, unknown>>) => place.in(body) === 'none';
    const accepted = [{ body: { [member]: value, ...none } }];
    return [
      refusedMember({
        ...{ id: `${member}-always`, member, value, family: ALWAYS_REASONING },
        statement: `\`${member}\` must have its default value.`,
        source: source ?? issue('langchain-ai/langchain/pull/35424'),
        accepts: isDefault,
      }),
      {
        ...refusedMember({
          ...{ id: `${member}-when-told`, member, value, family: REASONING_WHEN_TOLD },
          statement: `\`${member}\` must have its default value if the effort is not \`none\`.`,
          source: source ?? issue('BerriAI/litellm-docs/pull/1064'),
          accepts: (given, body) => isDefault(given) || isNone(body) || place.in(body) === undefined,
          accepted,
        }),
        examples: {
          refused: [{ body: { [member]: value, ...place.with('medium') } }],
          accepted: [...accepted, { body: { [member]: value } }],
        },
      },
      refusedMember({
        ...{ id: `${member}-by-default`, member, value, family: REASONING_BY_DEFAULT },
        statement: `\`${member}\` must have its default value unless the effort is \`none\`.`,
        source: source ?? issue('BerriAI/litellm/pull/32060'),
        accepts: (given, body) => isDefault(given) || isNone(body),
        accepted,
      }),
    ];
  });
}

interface EffortList {
  readonly id: string;
  readonly family: NonNullable<Rule['family']>;
  readonly values: readonly string[];
  readonly source: Rule['source'];
}

const EFFORTS: readonly EffortList[] = [
  {
    id: 'o-series',
    family: { label: 'The o series', models: /^o[1-9]/ },
    values: ['low', 'medium', 'high'],
    source: recording('openai/responses/140-encodes-thoughts-as-text-for-model-consumption.json'),
  },
  {
    id: 'gpt-5',
    family: { label: 'GPT-5', models: /^gpt-5(?:-(?:mini|nano|\d{4}.*))?$/ },
    values: ['minimal', 'low', 'medium', 'high'],
    source: issue('Sefaria/AppliedAI/pull/47'),
  },
  {
    id: 'gpt-5-1',
    family: { label: 'GPT-5.1', models: /^gpt-5\.1(?!\d)(?!-(?:codex|chat))/ },
    values: ['none', 'low', 'medium', 'high'],
    source: issue('livekit/agents/pull/3966'),
  },
  {
    id: 'gpt-5-2',
    family: { label: 'GPT-5.2 to GPT-5.5', models: /^gpt-5\.[2-5](?!\d)(?!-(?:pro|codex|chat))/ },
    values: ['none', 'low', 'medium', 'high', 'xhigh'],
    source: issue('bolna-ai/bolna/pull/852', '2026-11-29'),
  },
];

/** Models that only the Responses API serves. */
const EFFORTS_OF_RESPONSES: readonly EffortList[] = [
  {
    id: 'gpt-5-pro',
    family: { label: 'GPT-5 pro', models: /^gpt-5-pro/ },
    values: ['high'],
    source: issue('anomalyco/models.dev/pull/331', '2026-11-29'),
  },
  {
    id: 'codex',
    family: { label: 'The Codex variants of GPT-5 and GPT-5.1', models: /^gpt-5(?:\.1)?-codex(?!-max)/ },
    values: ['low', 'medium', 'high'],
    source: issue('openai/codex/issues/6647', '2026-11-29'),
  },
];

/** The efforts that models refuse. */
export function efforts(place: EffortPlace): readonly Rule[] {
  const lists = place === RESPONSES_EFFORT ? [...EFFORTS, ...EFFORTS_OF_RESPONSES] : EFFORTS;
  const listed = lists.map(({ id, family, values, source }): Rule => {
    const supported = values.map((value) => `'${value}'`).join(', ');
    return {
      id: `effort-of-${id}`,
      statement: `The effort must be one of ${values.map((value) => `\`${value}\``).join(', ')}.`,
      family,
      source,
      refuses(request) {
        const effort = place.in(bodyOf(request));
        if (effort === undefined || values.includes(String(effort))) return null;
        return `Unsupported value: '${place.name}' does not support '${effort}' with this model. Supported values are: ${supported}.`;
      },
      examples: {
        refused: [{ body: place.with(values.includes('xhigh') ? 'minimal' : 'xhigh') }],
        accepted: values.map((value) => ({ body: place.with(value) })),
      },
    };
  });
  return [...listed, effortWithoutReasoning(place)];
}

function effortWithoutReasoning(place: EffortPlace): Rule {
  return {
    id: 'effort-without-reasoning',
    statement: `\`${place.name}\` is refused, because the model does not reason.`,
    family: NOT_REASONING,
    source: issue('BoundaryML/baml/pull/2708'),
    refuses: (request) =>
      (place.in(bodyOf(request)) ?? null) === null
        ? null
        : `Unsupported parameter: '${place.name}' is not supported with this model.`,
    examples: { refused: [{ body: place.with('low') }, { body: place.with('low'), model: 'gpt-5-chat-latest' }] },
  };
}

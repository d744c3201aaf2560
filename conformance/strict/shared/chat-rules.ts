import { asArray, asObject } from '../../shared/json.ts';
import type { Example, ReceivedRequest, Rule, Source } from '../rule.ts';

/* Rules that several services for chat completions have. */

type Json = Readonly<Record<string, unknown>>;
type Examples = Rule['examples'];

/** The facts in which the services that share a rule differ. */
export interface Told {
  readonly source: Source;
  readonly family?: NonNullable<Rule['family']>;
  readonly status?: number;
}

export const checkedOn = (url: string, checked = '2026-11-28'): Source => ({ url, checked });
export const bodyOf = ({ body }: ReceivedRequest): Json => asObject(body);
export const messagesOf = (request: ReceivedRequest): readonly Json[] =>
  asArray(bodyOf(request).messages).map(asObject);
export const callsOf = ({ tool_calls: calls }: Json): readonly Json[] => asArray(calls).map(asObject);

export const USER = { role: 'user', content: 'Hi' } as const;
export const ANSWER = { role: 'assistant', content: 'Yes?' } as const;
export const SYSTEM = { role: 'system', content: 'Be brief.' } as const;
export const TOOL = {
  type: 'function',
  function: { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } },
} as const;

/** A tool call and its result, with further members in the assistant's message. */
export function called(id = 'call_0001', more: object = {}): readonly [object, object] {
  const call = { id, type: 'function', function: { name: 'look', arguments: '{}' } };
  return [
    { role: 'assistant', content: null, tool_calls: [call], ...more },
    { role: 'tool', tool_call_id: id, content: 'Seen.' },
  ];
}

export const conversation = (...messages: readonly object[]): Example => ({ body: { messages } });

function rule(id: string, told: Told, statement: string, refuses: Rule['refuses'], examples: Examples): Rule {
  return { id, statement, ...told, refuses, examples };
}

/** The service returns one choice. */
export function oneAnswer(told: Told, message: string): Rule {
  return rule('one-answer', told, '`n` must be 1.', (request) => ((bodyOf(request).n ?? 1) === 1 ? null : message), {
    refused: [{ body: { n: 2 } }],
    accepted: [{ body: { n: 1 } }],
  });
}

/** The service refuses members of a request. */
export function refusedMembers(
  id: string,
  told: Told,
  members: Readonly<Record<string, unknown>>,
  message: (member: string) => string,
): Rule {
  const names = Object.keys(members);
  const [first, ...others] = names.map((name): Example => ({ body: { [name]: members[name] } }));
  if (first === undefined) throw new Error('a rule refuses at least one field');
  const statement = `${names.map((name) => `\`${name}\``).join(', ')} ${names.length === 1 ? 'is' : 'are'} refused.`;
  return rule(
    id,
    told,
    statement,
    (request) => {
      const found = names.find((name) => (bodyOf(request)[name] ?? null) !== null);
      return found === undefined ? null : message(found);
    },
    { refused: [first, ...others] },
  );
}

/** The service refuses every member that it does not document. */
export function knownMembers(told: Told, known: readonly string[], message: (member: string) => string): Rule {
  return rule(
    'unknown-members',
    told,
    'Request fields that the document does not list are refused.',
    (request) => {
      const found = Object.keys(bodyOf(request)).find((name) => !known.includes(name));
      return found === undefined ? null : message(found);
    },
    { refused: [{ body: { top_k: 40 } }], accepted: [{ body: { temperature: 0.5 } }] },
  );
}

/** The service refuses every member of a message that it does not document for the message's role. */
export function knownMessageMembers(
  told: Told,
  known: Readonly<Record<string, readonly string[]>>,
  message: (index: number, member: string) => string,
): Rule {
  return rule(
    'unknown-message-members',
    told,
    'Message fields that the document does not list for the role are refused.',
    (request) => {
      for (const [index, one] of messagesOf(request).entries()) {
        const members = known[String(one.role)] ?? Object.keys(one);
        const found = Object.keys(one).find((name) => !members.includes(name));
        if (found !== undefined) return message(index, found);
      }
      return null;
    },
    {
      refused: [
        conversation(USER, { ...ANSWER, reasoning_content: 'Hm.' }, USER),
        conversation(USER, { ...ANSWER, refusal: null, annotations: [] }, USER),
      ],
      accepted: [conversation(USER, ANSWER, USER)],
    },
  );
}

/** The service accepts only these roles. */
export function knownRoles(told: Told, roles: readonly string[], message: (role: string) => string): Rule {
  return rule(
    'roles',
    told,
    `A message's role must be one of ${roles.map((role) => `\`${role}\``).join(', ')}.`,
    (request) => {
      const found = messagesOf(request).find(({ role }) => !roles.includes(String(role)));
      return found === undefined ? null : message(String(found.role));
    },
    {
      refused: [conversation({ role: 'developer', content: 'Be brief.' }, USER)],
      accepted: [conversation(SYSTEM, USER)],
    },
  );
}

/** The template accepts one system message, as the first message only. */
export function systemFirst(told: Told, text: string): Rule {
  return rule(
    'system-first',
    told,
    'There must be at most one system message, and it must be first.',
    (request) => (messagesOf(request).some(({ role }, index) => role === 'system' && index > 0) ? text : null),
    {
      refused: [conversation(SYSTEM, USER, ANSWER, SYSTEM, USER), conversation(SYSTEM, SYSTEM, USER)],
      accepted: [conversation(SYSTEM, USER)],
    },
  );
}

/** Every call has one result, and results directly follow their calls. */
export function resultsFollowCalls(told: Told, text: string, pair: readonly [object, object] = called()): Rule {
  return rule(
    'results-follow-calls',
    told,
    'Tool results must follow the message with the calls, one per call.',
    (request) => {
      let open = new Set<unknown>();
      for (const message of messagesOf(request)) {
        if (message.role === 'tool') {
          if (!open.delete(message.tool_call_id)) return text;
          continue;
        }
        if (open.size > 0) return text;
        open = new Set(callsOf(message).map(({ id }) => id));
      }
      return open.size > 0 ? text : null;
    },
    {
      refused: [conversation(USER, pair[0], USER), conversation(USER, pair[1])],
      accepted: [conversation(USER, ...pair)],
    },
  );
}

/** A message of the user must not follow the result of a tool call. */
export function answeredResults(told: Told, text: string): Rule {
  return rule(
    'answered-results',
    told,
    'An assistant message must stand between a tool result and a user message.',
    (request) => {
      const messages = messagesOf(request);
      return messages.some(({ role }, index) => role === 'user' && messages[index - 1]?.role === 'tool') ? text : null;
    },
    {
      refused: [conversation(USER, ...called(), USER)],
      accepted: [conversation(USER, ...called(), ANSWER, USER)],
    },
  );
}

/** A member of assistant messages is required, though it may be empty. */
export function requiredReasoning(
  told: Told,
  field: string,
  isMeant: (message: Json, body: Json) => boolean,
  message: (index: number) => string,
  examples: Examples,
): Rule {
  return rule(
    'reasoning-required',
    told,
    `While the model thinks, a message of the assistant must have \`${field}\`, which may be empty.`,
    (request) => {
      const body = bodyOf(request);
      const index = messagesOf(request).findIndex(
        (one) => one.role === 'assistant' && isMeant(one, body) && typeof one[field] !== 'string',
      );
      return index < 0 ? null : message(index);
    },
    examples,
  );
}

export function isThinkingOff({ thinking, enable_thinking: enabled, reasoning_effort: effort }: Json): boolean {
  return asObject(thinking).type === 'disabled' || enabled === false || effort === 'none';
}

export function isForced(choice: unknown): boolean {
  return choice === 'required' || choice === 'any' || typeof choice === 'object';
}

/** The model cannot be forced to call a tool while it thinks. */
export function unforcedWhileThinking(told: Told, text: string, off: object): Rule {
  return rule(
    'forced-tool-choice',
    told,
    'While the model thinks, `tool_choice` must not force a call.',
    (request) => {
      const { tool_choice: choice = null, ...body } = bodyOf(request);
      return choice !== null && isForced(choice) && !isThinkingOff(body) ? text : null;
    },
    {
      refused: [{ body: { tools: [TOOL], tool_choice: 'required' } }],
      accepted: [
        { body: { tools: [TOOL], tool_choice: 'auto' } },
        { body: { tools: [TOOL], tool_choice: 'required', ...off } },
      ],
    },
  );
}

/** A member has one of these values. */
export function oneOf(
  told: Told,
  member: string,
  values: readonly unknown[],
  message: (value: unknown) => string,
): Rule {
  return rule(
    member.replaceAll('_', '-'),
    told,
    `\`${member}\` must be ${values.length === 1 ? '' : 'one of '}${values.map((value) => `\`${value}\``).join(', ')}, or omitted.`,
    (request) => {
      const value = bodyOf(request)[member] ?? null;
      return value === null || values.includes(value) ? null : message(value);
    },
    { refused: [{ body: { [member]: 'nonsense' } }], accepted: values.map((value) => ({ body: { [member]: value } })) },
  );
}

/** A number has bounds; with `isOpen`, the lower one is exclusive. */
export function bounds(
  told: Told,
  member: string,
  { least, most, isOpen = false }: { readonly least: number; readonly most: number; readonly isOpen?: boolean },
  message: (value: number) => string,
): Rule {
  const isOutside = (value: number) => value < least || value > most || (isOpen && value === least);
  return rule(
    member.replaceAll('_', '-'),
    told,
    `\`${member}\` must be ${isOpen ? 'above' : 'at least'} ${least} and at most ${most}.`,
    (request) => {
      const value = bodyOf(request)[member];
      return typeof value === 'number' && isOutside(value) ? message(value) : null;
    },
    {
      refused: [{ body: { [member]: most + 0.1 } }, { body: { [member]: isOpen ? least : least - 0.1 } }],
      accepted: [{ body: { [member]: most } }],
    },
  );
}

/** `tools` has only these types. */
export function toolTypes(
  told: Told,
  types: readonly string[],
  message: (type: string, index: number) => string,
): Rule {
  return rule(
    'tool-types',
    told,
    `A tool's type must be ${types.map((type) => `\`${type}\``).join(', ')}.`,
    (request) => {
      const found = asArray(bodyOf(request).tools).map((tool) => String(asObject(tool).type));
      const index = found.findIndex((type) => !types.includes(type));
      return index < 0 ? null : message(found[index] ?? '', index);
    },
    {
      refused: [{ body: { tools: [{ type: 'custom', custom: { name: 'write' } }] } }],
      accepted: [{ body: { tools: [TOOL] } }],
    },
  );
}

/** `tool_choice` is a word or one named function, so a list of allowed tools is refused. */
export function wordOrFunction(told: Told, words: readonly string[], text: string): Rule {
  const named = { type: 'function', function: { name: 'look' } };
  return rule(
    'tool-choice',
    told,
    `\`tool_choice\` must be ${words.map((word) => `\`${word}\``).join(', ')}, or name one function.`,
    (request) => {
      const choice = bodyOf(request).tool_choice ?? words[0];
      const isKnown = typeof choice === 'string' ? words.includes(choice) : asObject(choice).function !== undefined;
      return isKnown ? null : text;
    },
    {
      refused: [{ body: { tools: [TOOL], tool_choice: { type: 'allowed_tools', allowed_tools: { tools: [named] } } } }],
      accepted: [{ body: { tools: [TOOL], tool_choice: named } }],
    },
  );
}

/** `response_format` has one of these types. */
export function responseFormats(told: Told, types: readonly string[], text: string): Rule {
  return rule(
    'response-format',
    told,
    `\`response_format.type\` must be one of ${types.map((type) => `\`${type}\``).join(', ')}.`,
    (request) => {
      const { response_format: format } = bodyOf(request);
      return format === undefined || types.includes(String(asObject(format).type)) ? null : text;
    },
    {
      refused: [{ body: { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {} } } } }],
      accepted: [{ body: { response_format: { type: 'json_object' } } }],
    },
  );
}

/** The contents of messages have only these types. */
export function contentTypes(told: Told, types: readonly string[], message: (type: string) => string): Rule {
  const foreign = types.includes('video_url') ? 'file' : 'video_url';
  return rule(
    'content-types',
    told,
    `Message parts must have one of the types ${types.map((type) => `\`${type}\``).join(', ')}.`,
    (request) => {
      const parts = messagesOf(request).flatMap(({ content }) => asArray(content).map(asObject));
      const found = parts.find(({ type }) => !types.includes(String(type)));
      return found === undefined ? null : message(String(found.type));
    },
    {
      refused: [
        conversation({ role: 'user', content: [{ type: foreign, [foreign]: { url: 'https://example.com/a' } }] }),
      ],
      accepted: [conversation({ role: 'user', content: [{ type: 'text', text: 'Hi' }] })],
    },
  );
}

/** Images are data URIs, because the service does not download files. */
export function imagesAsBytes(told: Told, text: string): Rule {
  const image = (url: string) => conversation({ role: 'user', content: [{ type: 'image_url', image_url: { url } }] });
  return rule(
    'image-addresses',
    told,
    'An image must be a data URI; the service does not download URLs.',
    (request) => {
      const parts = messagesOf(request).flatMap(({ content }) => asArray(content).map(asObject));
      const urls = parts.map(({ image_url: url }) => String(asObject(url).url ?? url ?? ''));
      return urls.some((url) => /^https?:/.test(url)) ? text : null;
    },
    { refused: [image('https://example.com/a.png')], accepted: [image('data:image/png;base64,iVBORw0KGgo=')] },
  );
}

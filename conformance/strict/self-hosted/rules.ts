import { asArray, asObject } from '../../shared/json.ts';
import type { ReceivedRequest, Rule, Source } from '../rule.ts';

/* Rules of servers of open models that speak OpenAI's chat completions. */

type RuleFacts = Pick<Rule, 'source' | 'status' | 'family'> & { readonly message: string };

const TOOLS = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }];
const IMAGE = 'data:image/png;base64,iVBORw0KGgo=';

const messagesOf = ({ body }: ReceivedRequest) => asArray(asObject(body).messages).map(asObject);
const partsOf = (request: ReceivedRequest) =>
  messagesOf(request).flatMap(({ content }) => asArray(content).map(asObject));
const asking = (...content: readonly object[]) => ({ body: { messages: [{ role: 'user', content }] } });
const image = (url: string) => ({ type: 'image_url', image_url: { url } });

/** The model's template raises an error for a system message that is not the first message. */
export function systemFirst({ message, ...facts }: RuleFacts): Rule {
  const system = { role: 'system', content: 'Be brief.' };
  const user = { role: 'user', content: 'Hi' };
  return {
    ...{ id: 'system-first', ...facts },
    statement: 'There must be at most one system message, and it must be first.',
    refuses: (request) =>
      messagesOf(request).some(({ role }, index) => role === 'system' && index > 0) ? message : null,
    examples: {
      refused: [{ body: { messages: [user, system] } }, { body: { messages: [system, system, user] } }],
      accepted: [{ body: { messages: [system, user] } }],
    },
  };
}

/** The model, or the server's configuration, does not support tools. */
export function noTools({ message, ...facts }: RuleFacts): Rule {
  return {
    ...{ id: 'tools', ...facts },
    statement: 'Models whose template has no tools refuse `tools`.',
    refuses: ({ body }) => (asArray(asObject(body).tools).length > 0 ? message : null),
    examples: { refused: [{ body: { tools: TOOLS } }] },
  };
}

export function noImages({ message, ...facts }: RuleFacts): Rule {
  return {
    ...{ id: 'images', ...facts },
    statement: 'Models without vision refuse images.',
    refuses: (request) => (partsOf(request).some(({ type }) => type === 'image_url') ? message : null),
    examples: { refused: [asking(image(IMAGE))] },
  };
}

export function imagesAsBytes({ message, ...facts }: RuleFacts): Rule {
  return {
    ...{ id: 'image-url', ...facts },
    statement: 'Images must be data URIs; the server does not download URLs.',
    refuses: (request) =>
      partsOf(request).some(({ image_url }) => /^https?:/.test(String(asObject(image_url).url))) ? message : null,
    examples: { refused: [asking(image('https://example.com/a.png'))], accepted: [asking(image(IMAGE))] },
  };
}

export function noParts(types: readonly string[], { message, ...facts }: RuleFacts): Rule {
  return {
    ...{ id: 'content-types', ...facts },
    statement: `Parts of the type ${types.map((type) => `\`${type}\``).join(', ')} are refused.`,
    refuses: (request) => (partsOf(request).some(({ type }) => types.includes(String(type))) ? message : null),
    examples: { refused: [asking({ type: types[0], [types[0] ?? '']: { url: 'data:video/mp4;base64,AAAA' } })] },
  };
}

export function toolChoiceIsWord({ message, ...facts }: RuleFacts): Rule {
  const named = { type: 'function', function: { name: 'look' } };
  return {
    ...{ id: 'tool-choice', ...facts },
    statement: '`tool_choice` must be `none`, `auto` or `required`; objects are refused.',
    refuses: ({ body }) => {
      const choice = asObject(body).tool_choice ?? 'auto';
      return ['none', 'auto', 'required'].includes(String(choice)) ? null : message;
    },
    examples: {
      refused: [{ body: { tools: TOOLS, tool_choice: named } }],
      accepted: [{ body: { tools: TOOLS, tool_choice: 'required' } }],
    },
  };
}

interface ContextRule {
  readonly id: string;
  /** Counted as four characters per token. */
  readonly mostTokens: number;
  readonly source: Source;
  readonly status?: number;
  readonly family?: NonNullable<Rule['family']>;
  readonly message: (tokens: number) => string;
}

/** The server refuses input that exceeds the context size with which the model was loaded. */
export function contextOf({ id, mostTokens, source, status, family, message }: ContextRule): Rule {
  const long = 'word '.repeat(mostTokens);
  return {
    ...{ id, source, ...(status !== undefined && { status }), ...(family && { family }) },
    statement: `A prompt must have at most ${mostTokens} tokens, the context with which the model was loaded.`,
    refuses: ({ text }) => {
      const tokens = Math.floor(text.length / 4);
      return tokens > mostTokens ? message(tokens) : null;
    },
    examples: { refused: [{ body: { messages: [{ role: 'user', content: long }] } }] },
  };
}

import { asArray } from '../../shared/json.ts';
import type { Rule } from '../rule.ts';
import {
  allBlocks,
  assistant,
  blocksIn,
  bodyOf,
  CHECKED,
  call,
  having,
  result,
  SIGNATURE,
  saying,
  text,
  thinking,
  tool,
  turnsOf,
  user,
  WITHHELD,
  type Wire,
  withTools,
} from './reading.ts';

const ISSUES = 'https://github.com';

/** The API joins consecutive turns of one role, so this is the only rule about their order. */
const firstTurn: Rule = {
  id: 'first-turn',
  statement: 'The first message must be a user message.',
  source: { url: `${ISSUES}/lobehub/lobehub/issues/1601`, checked: CHECKED },
  refuses: (request) => {
    const [first] = turnsOf(request);
    if (first === undefined) return 'messages: at least one message is required';
    return first.role === 'user' ? null : 'messages: first message must use the "user" role';
  },
  examples: { refused: [having({ messages: [] }), saying(assistant(), user())] },
};

const emptyContent: Rule = {
  id: 'empty-content',
  statement: 'All messages must have content, except a final assistant message.',
  source: { url: `${ISSUES}/anthropics/claude-code/issues/3196`, checked: CHECKED },
  refuses: (request) => {
    const turns = turnsOf(request);
    const at = turns.findIndex(({ isFilled }, index) => !isFilled && index < turns.length - 1);
    return at < 0
      ? null
      : `messages.${at}: all messages must have non-empty content except for the optional final assistant message`;
  },
  examples: { refused: [saying(user(''), assistant(), user()), saying(user(), assistant([]), user())] },
};

const blankText: Rule = {
  id: 'blank-text',
  statement: 'A text block must have a character other than whitespace.',
  source: { url: `${ISSUES}/NousResearch/hermes-agent/pull/61318`, checked: CHECKED },
  refuses: (request) => {
    const system = blocksIn(bodyOf(request).system).map((block) => ({ block, path: 'system' }));
    const blank = [...system, ...allBlocks(request)].find(
      ({ block, path }) => !path.includes('.tool_result') && block.type === 'text' && String(block.text).trim() === '',
    );
    if (blank === undefined) return null;
    return blank.block.text === ''
      ? `${blank.path}: text content blocks must be non-empty`
      : 'messages: text content blocks must contain non-whitespace text';
  },
  examples: {
    refused: [saying(user([text('')])), saying(user([text(' \n')])), { body: { system: [text('')] } }],
  },
};

const trailingSpace: Rule = {
  id: 'trailing-space',
  statement: 'A prefilled response must not end with whitespace.',
  family: {
    label: 'Models that accept a prefilled response',
    models: /claude-(?:3|(?:opus|sonnet|haiku)-4(?:-[0-5](?!\d)|@|-20))/,
  },
  source: { url: `${ISSUES}/langchain-ai/langchain/issues/35071`, checked: CHECKED },
  refuses: (request) => {
    const last = turnsOf(request).at(-1);
    const block = last?.role === 'assistant' ? last.blocks.at(-1) : undefined;
    return typeof block?.text === 'string' && /\s$/.test(block.text)
      ? 'messages: final assistant content cannot end with trailing whitespace'
      : null;
  },
  examples: {
    refused: [saying(user(), assistant('The answer is '))],
    accepted: [saying(user(), assistant('The answer is'))],
  },
};

const prefill: Rule = {
  id: 'prefill',
  statement: 'The conversation must end with a user message.',
  family: {
    label: 'Claude 4.6 and later',
    models: /claude-(?:(?:opus|sonnet|haiku)-4-[6-9]|(?:opus|sonnet|haiku|fable|mythos)-[5-9])/,
  },
  source: { url: `${ISSUES}/router-for-me/CLIProxyAPI/issues/5319`, checked: CHECKED },
  refuses: (request) =>
    turnsOf(request).at(-1)?.role === 'assistant'
      ? 'This model does not support assistant message prefill. The conversation must end with a user message.'
      : null,
  examples: { refused: [saying(user(), assistant('The answer is'))] },
};

/** Joins consecutive turns of one role. */
function joinedTurns(turns: ReturnType<typeof turnsOf>): { role: unknown; blocks: Wire[] }[] {
  const joined: { role: unknown; blocks: Wire[] }[] = [];
  for (const { role, blocks } of turns) {
    const last = joined.at(-1);
    if (last !== undefined && last.role === role) last.blocks.push(...blocks);
    else joined.push({ role, blocks: [...blocks] });
  }
  return joined;
}

const idsOf = (blocks: readonly Wire[], type: string, member: string) =>
  blocks.filter((block) => block.type === type).map((block) => String(block[member]));

const answeredCalls: Rule = {
  id: 'answered-calls',
  statement: 'The next message must begin with the results of all calls of the turn.',
  source: { url: `${ISSUES}/anthropics/claude-code/issues/1237`, checked: CHECKED },
  refuses: (request) => {
    const turns = joinedTurns(turnsOf(request));
    for (const [index, { blocks }] of turns.entries()) {
      const next = turns[index + 1]?.blocks ?? [];
      const leading = next.slice(0, next.findIndex(({ type }) => type !== 'tool_result') >>> 0);
      const answered = new Set(idsOf(leading, 'tool_result', 'tool_use_id'));
      const open = idsOf(blocks, 'tool_use', 'id').filter((id) => !answered.has(id));
      if (open.length === 0) continue;
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    }
    return null;
  },
  examples: {
    refused: [
      withTools(user(), assistant([call()]), user()),
      withTools(user(), assistant([call()]), user([text(), result()])),
      withTools(user(), assistant([call(), call('toolu_2')]), user([result()])),
    ],
    accepted: [withTools(user(), assistant([call(), call('toolu_2')]), user([result()]), user([result('toolu_2')]))],
  },
};

const resultsOfCalls: Rule = {
  id: 'results-of-calls',
  statement: 'A result must belong to a call in the previous message, and occur only once.',
  source: { url: `${ISSUES}/router-for-me/CLIProxyAPI/issues/497`, checked: CHECKED },
  refuses: (request) => {
    const turns = joinedTurns(turnsOf(request));
    for (const [index, { blocks }] of turns.entries()) {
      const calls = new Set(idsOf(turns[index - 1]?.blocks ?? [], 'tool_use', 'id'));
      for (const id of idsOf(blocks, 'tool_result', 'tool_use_id')) {
        if (!calls.delete(id))
          return `messages.${index}.content: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
      }
    }
    return null;
  },
  examples: { refused: [saying(user([result()])), withTools(user(), assistant([call()]), user([result(), result()]))] },
};

const callIds: Rule = {
  id: 'call-ids',
  statement: "A call's id must have only letters, digits, `_` and `-`, and be unique.",
  source: { url: 'specs/anthropic.openapi.json#RequestToolUseBlock.id', checked: CHECKED },
  refuses: (request) => {
    const seen = new Set<unknown>();
    for (const { block, path } of allBlocks(request)) {
      if (block.type !== 'tool_use') continue;
      if (!/^[a-zA-Z0-9_-]+$/.test(String(block.id)))
        return `${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      if (seen.has(block.id)) return `${path}: \`tool_use\` ids must be unique`;
      seen.add(block.id);
    }
    return null;
  },
  examples: {
    refused: [
      withTools(user(), assistant([call('call|1')]), user([result('call|1')])),
      withTools(user(), assistant([call(), call()]), user([result(), result('toolu_1')])),
    ],
  },
};

const callNames: Rule = {
  id: 'call-names',
  statement: "A call's name must have at most 200 letters, digits, `_` and `-`, and its input must be an object.",
  source: { url: 'specs/anthropic.openapi.json#RequestToolUseBlock', checked: CHECKED },
  refuses: (request) => {
    for (const { block, path } of allBlocks(request)) {
      if (block.type !== 'tool_use') continue;
      if (!/^[a-zA-Z0-9_-]{1,200}$/.test(String(block.name)))
        return `${path}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`;
      if (typeof block.input !== 'object' || block.input === null || Array.isArray(block.input))
        return `${path}.tool_use.input: Input should be a valid dictionary`;
    }
    return null;
  },
  examples: {
    refused: [
      withTools(user(), assistant([call('toolu_1', 'look up')]), user([result()])),
      withTools(user(), assistant([{ ...call(), input: '{}' }]), user([result()])),
    ],
  },
};

const roles: Rule = {
  id: 'roles',
  statement: "A message's role must be `user` or `assistant`; newer models also take `system` after a user message.",
  source: { url: 'specs/anthropic.openapi.json#InputMessage.role', checked: CHECKED },
  refuses: (request) => {
    const mayInstruct = /claude-(?:opus-4-8|(?:opus|sonnet|haiku|fable|mythos)-[5-9])/.test(request.model);
    const turns = turnsOf(request);
    for (const [index, { role }] of turns.entries()) {
      const before = turns[index - 1]?.role;
      const after = turns[index + 1]?.role;
      const isPlaced =
        (before === 'user' || before === 'system') &&
        (after === undefined || after === 'assistant' || after === 'system');
      if (role === 'user' || role === 'assistant' || (role === 'system' && mayInstruct && isPlaced)) continue;
      return `messages.${index}: Input should be 'user' or 'assistant'`;
    }
    return null;
  },
  examples: {
    refused: [
      saying(user(), { role: 'tool', content: 'x' }),
      { model: 'claude-sonnet-4-5', body: { messages: [user(), { role: 'system', content: 'x' }] } },
    ],
    accepted: [{ model: 'claude-opus-5', body: { messages: [user(), { role: 'system', content: 'Now.' }] } }],
  },
};

/** The common prefix of the gateway's decoded state tokens (docs/translation.md). */
const GATEWAY_STATE = 'switchyard/state';

const signatures: Rule = {
  id: 'signatures',
  statement: 'Thinking must have the signature that the service issued for it, and redacted thinking its data.',
  source: { url: `${ISSUES}/anthropics/anthropic-sdk-python/issues/1598`, checked: CHECKED },
  refuses: (request) => {
    for (const { block, path } of allBlocks(request)) {
      if (block.type === 'thinking' && !isIssued(block.signature, 'withheld'))
        return `${path}: Invalid \`signature\` in \`thinking\` block`;
      if (block.type === 'redacted_thinking' && !isIssued(block.data, 'signature'))
        return `${path}: Invalid \`data\` in \`redacted_thinking\` block`;
    }
    return null;
  },
  examples: {
    refused: [
      saying(user(), assistant([thinking('Hm.', ''), text()]), user()),
      saying(user(), assistant([{ type: 'redacted_thinking', data: SIGNATURE }, text()]), user()),
    ],
    accepted: [
      saying(user(), assistant([thinking(''), { type: 'redacted_thinking', data: WITHHELD }, text()]), user()),
    ],
  },
};

/** Only the service knows which signatures it issued. This refuses those that it certainly did not issue. */
function isIssued(state: unknown, other: string): boolean {
  if (typeof state !== 'string' || state === '') return false;
  return ![other, GATEWAY_STATE].some((wrong) => Buffer.from(state, 'base64').toString().startsWith(wrong));
}

const loopThoughts: Rule = {
  id: 'loop-thoughts',
  statement: 'With a thinking budget, a turn with tool calls must begin with its thinking.',
  family: { label: 'Models that think within a budget', models: /claude-(?:3-7|(?:opus|sonnet|haiku)-4)/ },
  source: { url: `${ISSUES}/RooCodeInc/Roo-Code/pull/10351`, checked: CHECKED },
  refuses: (request) => {
    if ((bodyOf(request).thinking as Wire | undefined)?.type !== 'enabled') return null;
    const turns = joinedTurns(turnsOf(request));
    const isLoop = turns.at(-1)?.blocks.some(({ type }) => type === 'tool_result') === true;
    const first = isLoop ? turns.at(-2)?.blocks[0]?.type : undefined;
    return first === undefined || first === 'thinking' || first === 'redacted_thinking'
      ? null
      : `messages.${turns.length - 2}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`;
  },
  examples: {
    refused: [
      {
        model: 'claude-sonnet-4-5',
        body: {
          ...{ max_tokens: 4_096, thinking: { type: 'enabled', budget_tokens: 1_024 }, tools: [tool()] },
          messages: [user(), assistant([call()]), user([result()])],
        },
      },
    ],
    accepted: [
      {
        model: 'claude-sonnet-4-5',
        body: {
          ...{ max_tokens: 4_096, thinking: { type: 'enabled', budget_tokens: 1_024 }, tools: [tool()] },
          messages: [user(), assistant([thinking(), call()]), user([result()])],
        },
      },
    ],
  },
};

const assistantMedia: Rule = {
  id: 'assistant-media',
  statement: 'Assistant messages must not have images or documents.',
  source: { url: 'specs/anthropic.openapi.json#InputContentBlock', checked: CHECKED },
  refuses: (request) => {
    const turns = turnsOf(request);
    const at = turns.findIndex(
      ({ role, blocks }) => role === 'assistant' && blocks.some(({ type }) => type === 'image' || type === 'document'),
    );
    return at < 0 ? null : `messages.${at}: 'image' blocks are not permitted in assistant turns`;
  },
  examples: {
    refused: [
      saying(
        user(),
        assistant([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }]),
        user(),
      ),
    ],
  },
};

const mostMessages: Rule = {
  id: 'most-messages',
  statement: 'A request must have at most 100,000 messages.',
  source: { url: 'specs/anthropic.openapi.json#CreateMessageParams.messages', checked: CHECKED },
  refuses: (request) =>
    asArray(bodyOf(request).messages).length > 100_000 ? 'messages: at most 100000 messages are allowed' : null,
  examples: { refused: [having({ messages: new Array(100_001).fill(user()) })] },
};

export const conversationRules: readonly Rule[] = [
  ...[mostMessages, roles, firstTurn, emptyContent, blankText, trailingSpace, prefill, callIds, callNames],
  ...[assistantMedia, resultsOfCalls, answeredCalls, signatures, loopThoughts],
];

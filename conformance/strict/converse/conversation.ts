import { asArray } from '../../shared/json.ts';
import type { Rule } from '../rule.ts';
import {
  assistant,
  bodyOf,
  CACHE_POINT,
  CHECKED,
  call,
  document,
  having,
  membersOf,
  REFERENCE,
  result,
  saying,
  text,
  turnsOf,
  user,
  type Wire,
  withTools,
} from './reading.ts';

const ISSUES = 'https://github.com';
const CONVERSE = `${REFERENCE}_Converse.html`;

const turns: Rule = {
  id: 'turns',
  statement: 'The conversation must begin with the user, and user and assistant must alternate.',
  source: { url: CONVERSE, checked: CHECKED },
  refuses: (request) => {
    const all = turnsOf(request);
    if (all.length === 0)
      return 'The messages field is required. Add a Message object to the messages field and try again.';
    if (all[0]?.role !== 'user')
      return 'A conversation must start with a user message. Try again with a conversation that starts with a user message.';
    return all.some(({ role }, at) => at > 0 && role === all[at - 1]?.role)
      ? 'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.'
      : null;
  },
  examples: { refused: [having({ messages: [] }), saying(assistant(), user()), saying(user(), user())] },
};

const prefill: Rule = {
  id: 'prefill',
  statement: 'The conversation must end with a user message.',
  family: {
    label: 'All models but Claude before 4.6',
    models: /^(?!.*claude-(?:3|(?:opus|sonnet|haiku)-4-(?:[0-5](?!\d)|20)))/,
  },
  source: { url: `${ISSUES}/router-for-me/CLIProxyAPI/issues/5319`, checked: CHECKED },
  refuses: (request) =>
    turnsOf(request).at(-1)?.role === 'assistant'
      ? 'A conversation must end with a user message. Try again with a conversation that ends with a user message.'
      : null,
  examples: { refused: [saying(user(), assistant())] },
};

const content: Rule = {
  id: 'content',
  statement: 'Each message must have a block, and each text a character other than whitespace.',
  source: { url: `${ISSUES}/NousResearch/hermes-agent/issues/55092`, checked: CHECKED },
  refuses: (request) => {
    const system = asArray(bodyOf(request).system) as readonly Wire[];
    const blankSystem = system.findIndex((block) => typeof block.text === 'string' && block.text.trim() === '');
    if (blankSystem >= 0)
      return `The text field in the SystemContentBlock object at system.${blankSystem} is blank. Add text to the text field, and try again.`;
    for (const [at, { blocks }] of turnsOf(request).entries()) {
      if (blocks.length === 0)
        return `The content field in the Message object at messages.${at} is empty. Add a ContentBlock object to the content field and try again.`;
      const blank = blocks.findIndex((block) => typeof block.text === 'string' && block.text.trim() === '');
      if (blank >= 0)
        return `The text field in the ContentBlock object at messages.${at}.content.${blank} is blank. Add text to the text field, and try again.`;
    }
    return null;
  },
  examples: {
    refused: [saying({ role: 'user', content: [] }), saying(user(text(' '))), having({ system: [text('')] })],
  },
};

const toolConfig: Rule = {
  id: 'tool-config',
  statement: 'A conversation with calls or results must have `toolConfig`.',
  source: { url: `${ISSUES}/vxcontrol/pentagi/pull/196`, checked: CHECKED },
  refuses: (request) => {
    const blocks = turnsOf(request).flatMap((turn) => turn.blocks);
    const hasTools = membersOf(blocks, 'toolUse').length + membersOf(blocks, 'toolResult').length > 0;
    return hasTools && bodyOf(request).toolConfig === undefined
      ? 'The toolConfig field must be defined when using toolUse and toolResult content blocks.'
      : null;
  },
  examples: { refused: [saying(user(), assistant(call()), user(result()))] },
};

const ids: Rule = {
  id: 'tool-use-ids',
  statement: "A call's id must have 1 to 64 letters, digits, `_`, `.`, `:` and `-`.",
  source: { url: `${REFERENCE}_ToolUseBlock.html`, checked: CHECKED },
  refuses: (request) => {
    const blocks = turnsOf(request).flatMap((turn) => turn.blocks);
    const wrong = [...membersOf(blocks, 'toolUse'), ...membersOf(blocks, 'toolResult')].find(
      ({ toolUseId }) => !/^[a-zA-Z0-9_.:-]{1,64}$/.test(String(toolUseId)),
    );
    return wrong === undefined
      ? null
      : `Value '${String(wrong.toolUseId)}' at 'toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+`;
  },
  examples: { refused: [withTools(user(), assistant(call('call|1')), user(result('call|1')))] },
};

const mistralIds: Rule = {
  id: 'mistral-ids',
  statement: "A call's id must have nine letters and digits.",
  family: { label: 'Mistral', models: /mistral\./ },
  source: { url: `${ISSUES}/vercel/ai/pull/11863`, checked: CHECKED },
  refuses: (request) => {
    const uses = turnsOf(request).flatMap(({ blocks }) => membersOf(blocks, 'toolUse'));
    return uses.every(({ toolUseId }) => /^[a-zA-Z0-9]{9}$/.test(String(toolUseId)))
      ? null
      : 'The model returned the following errors: Tool call id has to be defined in serving mode and should only contain a-z, A-Z, 0-9, with a length of 9.';
  },
  examples: { refused: [withTools(user(), assistant(call()), user(result()))] },
};

const results: Rule = {
  id: 'results',
  statement: 'The next message must begin with the results of all calls of the turn, and have no other results.',
  source: { url: `${ISSUES}/strands-agents/harness-sdk/issues/1435`, checked: CHECKED },
  refuses: (request) => {
    const all = turnsOf(request);
    for (const [at, { blocks }] of all.entries()) {
      const wanted = membersOf(all[at - 1]?.blocks ?? [], 'toolUse').map(({ toolUseId }) => String(toolUseId));
      const given = membersOf(blocks, 'toolResult').map(({ toolUseId }) => String(toolUseId));
      if (given.length > wanted.length)
        return `The number of toolResult blocks at messages.${at}.content exceeds the number of toolUse blocks of previous turn.`;
      const missing = wanted.filter((id) => !given.includes(id));
      if (missing.length > 0)
        return `Expected toolResult blocks at messages.${at}.content for the following Ids: ${missing.join(', ')}`;
      if (given.length > 0 && blocks.slice(0, given.length).some((block) => block.toolResult === undefined))
        return `messages.${at}.content: toolResult blocks must come first`;
    }
    return membersOf(all.at(-1)?.blocks ?? [], 'toolUse').length > 0
      ? `Expected toolResult blocks at messages.${all.length}.content`
      : null;
  },
  examples: {
    refused: [
      withTools(user(), assistant(call()), user()),
      withTools(user(result())),
      withTools(user(), assistant(call()), user(text(), result())),
      withTools(user(), assistant(call()), user(result(), result('tooluse_2'))),
    ],
    accepted: [],
  },
};

const resultContent: Rule = {
  id: 'result-content',
  statement: 'An error result must have content; for Nova every result must, and its JSON must be an object.',
  source: {
    url: `${ISSUES}/aws-samples/sample-multi-agent-orchestration-chat-on-agentcore/issues/15`,
    checked: CHECKED,
  },
  refuses: (request) => {
    for (const [at, { blocks }] of turnsOf(request).entries()) {
      for (const { content: inner, status } of membersOf(blocks, 'toolResult')) {
        const list = asArray(inner) as readonly Wire[];
        if (list.length === 0 && (status === 'error' || request.model.includes('nova')))
          return `The content field at messages.${at}.content.0.toolResult cannot be empty when status value is error.`;
        if (
          list.some(
            ({ json }) => json !== undefined && (typeof json !== 'object' || json === null || Array.isArray(json)),
          )
        )
          return `The format of the value at messages.${at}.content.0.toolResult.content.0.json is invalid. Provide a json object for the field and try again.`;
        if (list.some(({ cachePoint }) => cachePoint !== undefined))
          return `messages.${at}.content.0.toolResult.content: Unknown field 'cachePoint'`;
      }
    }
    return null;
  },
  examples: {
    refused: [
      having({
        ...withTools(user(), assistant(call('abcdefghi')), user(result('abcdefghi', { content: [], status: 'error' })))
          .body,
      }),
      having({
        ...withTools(user(), assistant(call('abcdefghi')), user(result('abcdefghi', { content: [{ json: [1] }] })))
          .body,
      }),
    ],
  },
};

const wordsApart: Rule = {
  id: 'words-apart',
  statement: 'A turn with calls or results must not have text, images or documents.',
  family: {
    label: 'All models but Nova, and Claude since 3.5',
    models: /^(?!.*(?:nova|claude-(?!3-(?:opus|sonnet|haiku))))/,
  },
  source: { url: `${ISSUES}/strands-agents/harness-sdk/issues/1223`, checked: '2026-11-29' },
  refuses: (request) => {
    for (const [at, { role, blocks }] of turnsOf(request).entries()) {
      const [member, what] = role === 'assistant' ? ['toolUse', 'tool use'] : ['toolResult', 'tool result'];
      const isMixed = ['text', 'image', 'document'].some((name) => blocks.some((block) => block[name] !== undefined));
      if (isMixed && membersOf(blocks, member ?? '').length > 0)
        return `messages.${at}.content: Conversation blocks and ${what} blocks cannot be provided in the same turn.`;
    }
    return null;
  },
  examples: {
    refused: [
      withTools(user(), assistant(text(), call('abcdefghi')), user(result('abcdefghi'))),
      withTools(user(), assistant(call('abcdefghi')), user(result('abcdefghi'), text())),
    ],
  },
};

const documents: Rule = {
  id: 'documents',
  statement: 'A document must have a unique plain name and be accompanied by text.',
  source: { url: `${REFERENCE}_DocumentBlock.html`, checked: CHECKED },
  refuses: (request) => {
    const seen = new Set<unknown>();
    for (const [at, { blocks }] of turnsOf(request).entries()) {
      const all = membersOf(blocks, 'document');
      for (const { name } of all) {
        if (!/^[a-zA-Z0-9\s()[\]-]{1,200}$/.test(String(name)) || /\s\s/.test(String(name)))
          return "The file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character.";
        if (seen.has(name)) return `messages.${at}.content: the document name ${String(name)} is already used`;
        seen.add(name);
      }
      if (all.length > 0 && blocks.every(({ text: words }) => words === undefined))
        return `messages.${at}.content: A text block is required when using documents.`;
    }
    return null;
  },
  examples: {
    refused: [
      saying(user(document('a.pdf'), text())),
      saying(user(document())),
      saying(user(document(), document(), text())),
      saying(user(document('a  b'), text())),
    ],
    accepted: [saying(user(document(), text()))],
  },
};

const cachePoints: Rule = {
  id: 'cache-points',
  statement: 'There must be at most four cache points, and none before the first block.',
  source: { url: 'https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html', checked: CHECKED },
  refuses: (request) => {
    const count = request.text.split('"cachePoint"').length - 1;
    if (count > 4) return `You have exceeded the maximum number of cache points (4). Found ${count}.`;
    const at = turnsOf(request).findIndex(({ blocks }) => blocks[0]?.cachePoint !== undefined);
    return at < 0 ? null : `messages.${at}.content.0: a cachePoint must follow a content block`;
  },
  examples: { refused: [saying(user(text(), ...new Array(5).fill(CACHE_POINT))), saying(user(CACHE_POINT, text()))] },
};

const noCachePoints: Rule = {
  id: 'no-cache-points',
  statement: 'Cache points are refused.',
  family: { label: 'All models but Claude and Nova', models: /^(?!.*(?:claude|nova))/ },
  source: { url: 'https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html', checked: CHECKED },
  refuses: ({ text: body }) =>
    body.includes('"cachePoint"')
      ? 'You invoked an unsupported model or your request did not allow prompt caching.'
      : null,
  examples: { refused: [saying(user(text(), CACHE_POINT))] },
};

export const conversationRules: readonly Rule[] = [
  turns,
  content,
  toolConfig,
  ids,
  results,
  resultContent,
  mistralIds,
  wordsApart,
  prefill,
  documents,
  cachePoints,
  noCachePoints,
];

import Anthropic from '@anthropic-ai/sdk';
import { LAST_WORDS, PNG } from '../script.ts';
import {
  budgetRequest,
  CLAUDE_CODE_HEADERS,
  claudeCodeRequest,
  countRequest,
  LONG_TOOL,
  probeRequest,
  searchRequest,
  titleRequest,
  toolSearchRequest,
} from '../traffic/claude-code.ts';
import { type Agent, different, type Workplace } from './agent.ts';

function sdkOf({ origin, apiKey }: Workplace): Anthropic {
  return new Anthropic({
    baseURL: origin,
    apiKey,
    maxRetries: 0,
    logLevel: 'off',
    defaultHeaders: CLAUDE_CODE_HEADERS,
  });
}

type Params = Parameters<Anthropic['beta']['messages']['stream']>[0];

function ask(place: Workplace, body: object): Promise<Anthropic.Beta.BetaMessage> {
  // Claude Code sends fields that the SDK's types lack.
  return sdkOf(place)
    .beta.messages.stream(body as Params)
    .finalMessage();
}

const EDIT = { file_path: '/work/größe.ts', old_string: '"C:\\old"', new_string: '"C:\\new"\u2028🧮' };
const SEARCH = { labels: ['bug', 'größe'] };

async function work(place: Workplace): Promise<readonly string[]> {
  const { model, prompt, seesImages } = place;
  const history: Anthropic.Beta.BetaMessageParam[] = [];
  const first = await ask(place, claudeCodeRequest(model, prompt, history));
  const edit = first.content.find(({ type }) => type === 'tool_use');
  if (edit?.type !== 'tool_use') return [`no tool is used: ${JSON.stringify(first.content)}`];
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } } as const;
  history.push(
    { role: 'assistant', content: first.content as Anthropic.Beta.BetaContentBlockParam[] },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: edit.id,
          is_error: true,
          content: [
            { type: 'text', text: '<tool_use_error>Not read yet.</tool_use_error>' },
            ...(seesImages ? [image] : []),
          ],
        },
        { type: 'text', text: '<system-reminder>Be quick.</system-reminder>', cache_control: { type: 'ephemeral' } },
      ],
    },
  );
  const second = await ask(place, claudeCodeRequest(model, prompt, history));
  const search = second.content.find(({ type }) => type === 'tool_use');
  if (search?.type !== 'tool_use') return [`no second tool is used: ${JSON.stringify(second.content)}`];
  history.push(
    { role: 'assistant', content: second.content as Anthropic.Beta.BetaContentBlockParam[] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: search.id, content: '' }] },
  );
  const third = await ask(place, claudeCodeRequest(model, prompt, history));
  return [
    ...different('the edit', [edit.name, edit.input, first.stop_reason], ['Edit', EDIT, 'tool_use']),
    ...different('the tool with a long name', [search.name, search.input], [LONG_TOOL, SEARCH]),
    ...different('the last words', third.content.map((block) => 'text' in block && block.text).join(''), LAST_WORDS),
    ...different('that it ends', third.stop_reason, 'end_turn'),
  ];
}

export const CLAUDE_CODE: Agent = {
  name: 'Claude Code',
  format: 'anthropic-messages',
  steps: [{ tool: 'Edit', input: EDIT }, { tool: LONG_TOOL, input: SEARCH }, { text: LAST_WORDS }],
  work,
  sides: {
    'with a thinking budget': (place) => ask(place, budgetRequest(place.model, 'Go on.')),
    'with tools that are loaded later': (place) => ask(place, toolSearchRequest(place.model, 'Go on.')),
    'checking its quota': (place) => sdkOf(place).beta.messages.create(probeRequest(place.model) as never),
    'asking the small model for a title': (place) => ask(place, titleRequest(place.model)),
    'searching the web': (place) => ask(place, searchRequest(place.model)),
    'counting tokens': async (place) => {
      const { input_tokens } = await sdkOf(place).beta.messages.countTokens(countRequest(place.model) as never);
      if (!(input_tokens > 0)) throw new Error(`${input_tokens} tokens`);
    },
  },
  onlyAt: { 'searching the web': ['gemini', 'anthropic-messages', 'openai-responses'] },
};

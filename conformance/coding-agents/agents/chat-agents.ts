import OpenAI from 'openai';
import { LAST_WORDS } from '../script.ts';
import {
  clineRequest,
  cursorRequest,
  legacyRequest,
  MCP_TOOL,
  opencodeRequest,
  structuredRequest,
} from '../traffic/chat-agents.ts';
import { type Agent, different, type Workplace } from './agent.ts';

type Message = OpenAI.ChatCompletionMessage;

function sdkOf({ origin, apiKey }: Workplace): OpenAI {
  return new OpenAI({ baseURL: `${origin}/v1`, apiKey, maxRetries: 0, logLevel: 'off' });
}

/** The SDK joins the chunks, and throws if they do not fit. */
async function ask(place: Workplace, body: object): Promise<Message> {
  const sdk = sdkOf(place);
  // Agents send fields that the SDK's types lack (cache marks).
  const stream = sdk.chat.completions.stream(body as never);
  const { choices, usage } = await stream.finalChatCompletion();
  const [choice] = choices;
  if (choice === undefined) throw new Error('no choice');
  if ('stream_options' in body && !usage) throw new Error('no usage');
  const isCalling = (choice.message.tool_calls ?? []).length > 0;
  if (isCalling && choice.finish_reason !== 'tool_calls') throw new Error(`finish_reason is ${choice.finish_reason}`);
  return choice.message;
}

const EDIT = { path: 'src/größe.ts', search: '"C:\\old"', replace: '"C:\\new"\u2028🧮' };
const RESOLVE = { name: 'größe' };

async function work(place: Workplace): Promise<readonly string[]> {
  const { model, prompt } = place;
  const history: unknown[] = [];
  const called: unknown[] = [];
  for (const output of ['Edited.', '']) {
    const message = await ask(place, opencodeRequest(model, prompt, history));
    const [call] = message.tool_calls ?? [];
    if (call?.type !== 'function') return [`no tool is called: ${JSON.stringify(message)}`];
    called.push([call.function.name, JSON.parse(call.function.arguments)]);
    history.push(
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: call.id, content: output },
    );
  }
  const last = await ask(place, opencodeRequest(model, prompt, history));
  return [
    ...different('the calls', called, [
      ['edit_file', EDIT],
      [MCP_TOOL, RESOLVE],
    ]),
    ...different('the last words', last.content, LAST_WORDS),
  ];
}

export const CHAT_AGENTS: Agent = {
  name: 'an agent of chat completions',
  format: 'openai-chat',
  steps: [{ tool: 'edit_file', input: EDIT }, { tool: MCP_TOOL, input: RESOLVE }, { text: LAST_WORDS }],
  work,
  sides: {
    'Cline with cache marks': (place) => ask(place, clineRequest(place.model, 'Go on.', place.seesImages)),
    'Cursor with a tool by name': (place) => ask(place, cursorRequest(place.model, 'Go on.')),
    'aider with functions': (place) => ask(place, legacyRequest(place.model, 'Go on.')),
    'structured output': async (place) => {
      const body = structuredRequest(place.model, 'Plan.');
      const { choices } = await sdkOf(place).chat.completions.create(body as never);
      if (!choices[0]?.message.content) throw new Error('no content');
    },
  },
};

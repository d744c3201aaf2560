import { type Content, type GenerateContentConfig, GoogleGenAI, type Part } from '@google/genai';
import { LAST_WORDS, PNG } from '../script.ts';
import {
  BUDGET_CONFIG,
  CHAT_CONFIG,
  DOTTED_TOOL,
  FETCH_CONFIG,
  JSON_CONFIG,
  QUICK_CONFIG,
  SEARCH_CONFIG,
} from '../traffic/gemini-cli.ts';
import { type Agent, different, type Workplace } from './agent.ts';

const sdkOf = ({ origin, apiKey }: Workplace) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: origin } });

async function ask(place: Workplace, contents: Content[], config: object): Promise<Part[]> {
  const request = { model: place.model, contents, config: config as GenerateContentConfig };
  const parts: Part[] = [];
  let isFinished = false;
  for await (const chunk of await sdkOf(place).models.generateContentStream(request)) {
    parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    isFinished ||= chunk.candidates?.[0]?.finishReason === 'STOP';
  }
  if (!isFinished) throw new Error('the stream has no finishReason, so Gemini CLI would treat it as broken');
  return parts;
}

async function whole(place: Workplace, config: object): Promise<void> {
  const contents = [{ role: 'user', parts: [{ text: 'Analyse the conversation.' }] }];
  const request = { model: place.model, contents, config: config as GenerateContentConfig };
  const { text } = await sdkOf(place).models.generateContent(request);
  if (!text) throw new Error('no text');
}

const READ = { file_path: 'src/größe.png' };
const SEARCH = { query: 'is:open "größe"', state: null };

/** Calls have no ids in the CLI's history, and media follow their result. */
function resultOf({ functionCall }: Part, output: string, image: boolean): Part[] {
  const result = { functionResponse: { name: functionCall?.name ?? '', response: { output } } };
  return [result, ...(image ? [{ inlineData: { mimeType: 'image/png', data: PNG } }] : [])];
}

function withoutId({ functionCall, ...part }: Part): Part {
  if (functionCall === undefined) return part;
  const { id: _, ...called } = functionCall;
  return { ...part, functionCall: called };
}

async function work(place: Workplace): Promise<readonly string[]> {
  const contents: Content[] = [
    { role: 'user', parts: [{ text: 'This is the Gemini CLI. Today is Monday.' }] },
    { role: 'user', parts: [{ text: place.prompt }] },
  ];
  const calls: Part[] = [];
  for (const output of ['Binary content provided (1 item(s)).', '']) {
    const parts = await ask(place, contents, CHAT_CONFIG);
    const call = parts.find(({ functionCall }) => functionCall !== undefined);
    if (call === undefined) return [`no function is called: ${JSON.stringify(parts)}`];
    calls.push(call);
    contents.push(
      { role: 'model', parts: parts.map(withoutId) },
      { role: 'user', parts: resultOf(call, output, place.seesImages && output !== '') },
    );
  }
  const last = await ask(place, contents, CHAT_CONFIG);
  const called = calls.map(({ functionCall }) => [functionCall?.name, functionCall?.args]);
  return [
    ...different('the calls', called, [
      ['read_file', READ],
      [DOTTED_TOOL, SEARCH],
    ]),
    ...different('the last words', last.map(({ text = '', thought }) => (thought ? '' : text)).join(''), LAST_WORDS),
  ];
}

export const GEMINI_CLI: Agent = {
  name: 'Gemini CLI',
  format: 'gemini',
  steps: [{ tool: 'read_file', input: READ }, { tool: DOTTED_TOOL, input: SEARCH }, { text: LAST_WORDS }],
  work,
  sides: {
    'with a thinking budget': (place) => ask(place, [{ role: 'user', parts: [{ text: 'Go on.' }] }], BUDGET_CONFIG),
    'asking for JSON about the conversation': (place) => whole(place, JSON_CONFIG),
    'without thinking': (place) => whole(place, QUICK_CONFIG),
    'counting tokens': async (place) => {
      const { totalTokens } = await sdkOf(place).models.countTokens({ model: place.model, contents: 'foo' });
      if (!totalTokens) throw new Error('no tokens');
    },
    'searching the web': (place) => whole(place, SEARCH_CONFIG),
    'fetching a page': (place) => whole(place, FETCH_CONFIG),
  },
  onlyAt: {
    'searching the web': ['gemini', 'anthropic-messages', 'openai-responses'],
    'fetching a page': ['gemini'],
  },
};

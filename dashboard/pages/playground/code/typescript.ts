import type { Call } from '../wire/call.ts';
import { geminiArguments, members } from './arguments.ts';
import { isStream } from './curl.ts';
import { OPENAI_METHODS } from './known.ts';
import { literal } from './literal.ts';
import type { BaseUrls } from './snippet.ts';

const KEY = 'process.env.SWITCHYARD_API_KEY';

export function typescript(call: Call, urls: BaseUrls): string {
  if (call.path.startsWith('/v1beta/')) return gemini(call, urls);
  if (call.path === '/v1/messages') return anthropic(call, urls);
  return openai(call, urls);
}

function text(value: unknown): string {
  return literal(value, 'typescript');
}

function options(headers: Readonly<Record<string, string>> | undefined): string {
  return headers === undefined || Object.keys(headers).length === 0 ? '' : `, ${text({ headers })}`;
}

function openai(call: Call, urls: BaseUrls): string {
  const method = OPENAI_METHODS[call.path];
  const all = members(call, (name) => `createReadStream(${text(name)})`);
  const isForm = 'form' in call.body;
  const imports = [...(isForm ? [`import { createReadStream } from 'node:fs';`] : []), `import OpenAI from 'openai';`];
  const isSpeech = call.path === '/v1/audio/speech';
  if (isSpeech) imports.unshift(`import { writeFile } from 'node:fs/promises';`);
  const asked =
    method === undefined
      ? `client.post(${text(call.path.slice(3))}, ${text({ body: all })})`
      : `client.${method.name}(${text(all)}${options(call.headers)})`;
  return `${imports.join('\n')}

const client = new OpenAI({ baseURL: ${text(urls.openai)}, apiKey: ${KEY} });
const result = await ${asked};
${openaiEnd(call)}`;
}

function openaiEnd(call: Call): string {
  if (call.path === '/v1/audio/speech') return `await writeFile('speech', Buffer.from(await result.arrayBuffer()));\n`;
  if (!isStream(call)) return 'console.log(result);\n';
  if (call.path === '/v1/responses')
    return `for await (const event of result) {\n  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);\n}\n`;
  return `for await (const chunk of result) process.stdout.write(chunk.choices[0]?.delta.content ?? '');\n`;
}

function anthropic(call: Call, urls: BaseUrls): string {
  const { 'anthropic-version': _, ...headers } = call.headers ?? {};
  return `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: ${text(urls.anthropic)}, apiKey: ${KEY} });
const result = await client.messages.create(${text(members(call, String))}${options(headers)});
for await (const event of result) {
  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') process.stdout.write(event.delta.text);
}
`;
}

function gemini(call: Call, urls: BaseUrls): string {
  return `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({ apiKey: ${KEY}, httpOptions: { baseUrl: ${text(urls.gemini)}, apiVersion: 'v1beta' } });
const result = await client.models.generateContentStream(${text(geminiArguments(call))});
for await (const chunk of result) process.stdout.write(chunk.text ?? '');
`;
}

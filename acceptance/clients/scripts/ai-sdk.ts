/* An AI SDK agent with three tools. It streams, and keeps the conversation in a file. Its packages are installed elsewhere. */

import { exec } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const env = (name: string) => process.env[`CLIENT_${name}`] ?? '';
const load = (name: string) => import(Bun.resolveSync(name, env('PACKAGES')));

const { streamText, tool, stepCountIs, isStepCount } = await load('ai');
const { z } = await load('zod');
const apiKey = env('KEY');
const baseURL = `${env('ORIGIN')}/v1`;

async function modelOf(format: string) {
  const model = env('MODEL');
  switch (format) {
    case 'openai-responses':
      return (await load('@ai-sdk/openai')).createOpenAI({ baseURL, apiKey })(model);
    case 'anthropic-messages':
      return (await load('@ai-sdk/anthropic')).createAnthropic({ baseURL, apiKey })(model);
    case 'gemini': {
      const { createGoogle, createGoogleGenerativeAI } = await load('@ai-sdk/google');
      return (createGoogle ?? createGoogleGenerativeAI)({ baseURL: `${env('ORIGIN')}/v1beta`, apiKey })(model);
    }
    case 'openrouter':
      return (await load('@openrouter/ai-sdk-provider')).createOpenRouter({
        baseURL: `${env('ORIGIN')}/api/v1`,
        apiKey,
      })(model, { usage: { include: true } });
    default:
      return (await load('@ai-sdk/openai-compatible')).createOpenAICompatible({ name: 'switchyard', baseURL, apiKey })(
        model,
      );
  }
}

const tools = {
  read_file: tool({
    description: 'Read a file',
    inputSchema: z.object({ path: z.string() }),
    execute: ({ path }: { path: string }) => readFile(path, 'utf8'),
  }),
  run_command: tool({
    description: 'Run a shell command',
    inputSchema: z.object({ command: z.string() }),
    execute: async ({ command }: { command: string }) => (await promisify(exec)(command)).stdout,
  }),
  write_file: tool({
    description: 'Write a file',
    inputSchema: z.object({ path: z.string(), content: z.string() }),
    execute: async ({ path, content }: { path: string; content: string }) => {
      await writeFile(path, content);
      return 'written';
    },
  }),
};

const before = env('RESUMES') === '' ? [] : JSON.parse(await readFile(env('STATE'), 'utf8'));
const messages = [...before, { role: 'user', content: env('PROMPT') }];
const result = streamText({
  model: await modelOf(env('FORMAT')),
  messages,
  tools,
  stopWhen: (isStepCount ?? stepCountIs)(10),
  maxRetries: 0,
  onError: ({ error }: { error: unknown }) => console.error(error),
});
console.log(await result.text);
const said = await result.responseMessages;
await writeFile(env('STATE'), JSON.stringify([...messages, ...said]));

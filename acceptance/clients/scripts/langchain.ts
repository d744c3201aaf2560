/* A LangChain agent with three tools. It streams, and keeps the conversation in a file. Its packages are installed elsewhere. */

import { exec } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const env = (name: string) => process.env[`CLIENT_${name}`] ?? '';
const load = (name: string) => import(Bun.resolveSync(name, env('PACKAGES')));

const { tool } = await load('@langchain/core/tools');
const { HumanMessage, ToolMessage, mapChatMessagesToStoredMessages, mapStoredMessagesToChatMessages } =
  await load('@langchain/core/messages');
const { z } = await load('zod');
const apiKey = env('KEY');
const common = { apiKey, model: env('MODEL'), maxRetries: 0 };

async function modelOf(format: string) {
  switch (format) {
    case 'anthropic-messages':
      return new (await load('@langchain/anthropic')).ChatAnthropic({ ...common, anthropicApiUrl: env('ORIGIN') });
    case 'gemini':
      return new (await load('@langchain/google-genai')).ChatGoogleGenerativeAI({ ...common, baseUrl: env('ORIGIN') });
    default: {
      const { ChatOpenAI } = await load('@langchain/openai');
      const useResponsesApi = format === 'openai-responses';
      return new ChatOpenAI({ ...common, useResponsesApi, configuration: { baseURL: `${env('ORIGIN')}/v1` } });
    }
  }
}

const tools = [
  tool(({ path }: { path: string }) => readFile(path, 'utf8'), {
    name: 'read_file',
    description: 'Read a file',
    schema: z.object({ path: z.string() }),
  }),
  tool(async ({ command }: { command: string }) => (await promisify(exec)(command)).stdout || 'done', {
    name: 'run_command',
    description: 'Run a shell command',
    schema: z.object({ command: z.string() }),
  }),
  tool(
    async ({ path, content }: { path: string; content: string }) => {
      await writeFile(path, content);
      return 'written';
    },
    {
      name: 'write_file',
      description: 'Write a file',
      schema: z.object({ path: z.string(), content: z.string() }),
    },
  ),
];

const model = (await modelOf(env('FORMAT'))).bindTools(tools);
const before =
  env('RESUMES') === '' ? [] : mapStoredMessagesToChatMessages(JSON.parse(await readFile(env('STATE'), 'utf8')));
const messages = [...before, new HumanMessage(env('PROMPT'))];
for (let turn = 0; turn < 10; turn++) {
  let answer: { tool_calls?: readonly { id: string; name: string; args: unknown }[]; text: string } | undefined;
  for await (const piece of await model.stream(messages)) answer = answer === undefined ? piece : concat(answer, piece);
  if (answer === undefined) throw new Error('the stream was empty');
  messages.push(answer);
  if (!answer.tool_calls?.length) {
    console.log(answer.text);
    break;
  }
  for (const { id, name, args } of answer.tool_calls) {
    const called = tools.find((one) => one.name === name);
    messages.push(new ToolMessage({ tool_call_id: id, name, content: String(await called.invoke(args)) }));
  }
}
await writeFile(env('STATE'), JSON.stringify(mapChatMessagesToStoredMessages(messages)));

function concat<T>(answer: T, piece: unknown): T {
  return (answer as { concat(other: unknown): T }).concat(piece);
}

import { join } from 'node:path';
import type { Client, Job } from './client.ts';

/*
 * Agent frameworks. Each runs a small program (`scripts/`) that has the three tools and keeps the conversation in a file in its home
 * folder.
 */

const AI_SDK_PACKAGES = [
  ...['ai@7.0.173', 'zod@4.6.7', '@ai-sdk/openai-compatible@3.0.92', '@ai-sdk/openai@4.0.118'],
  ...['@ai-sdk/anthropic@4.0.105', '@ai-sdk/google@4.0.121'],
];
const OPENROUTER_PACKAGES = ['ai@7.0.173', 'zod@4.6.7', '@openrouter/ai-sdk-provider@3.1.0', '@openrouter/sdk@1.3.19'];
const LANGCHAIN_PACKAGES = [
  ...[
    '@langchain/core@1.4.0',
    '@langchain/openai@1.6.0',
    '@langchain/anthropic@1.5.11',
    '@langchain/google-genai@2.3.2',
    'zod@4.6.7',
  ],
];
const PYDANTIC_PACKAGES = ['pydantic-ai-slim[openai,anthropic,google]==2.66.0'];

const TOOLS: Pick<Client, 'read' | 'run' | 'write'> = {
  read: (path) => ({ tool: 'read_file', input: { path } }),
  run: (command) => ({ tool: 'run_command', input: { command } }),
  write: (path, content) => ({ tool: 'write_file', input: { path, content } }),
};

const FORMATS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;

function environment({ origin, apiKey, model, prompt, resumes, home }: Job, choice: string): Record<string, string> {
  return {
    CLIENT_ORIGIN: origin,
    CLIENT_KEY: apiKey,
    CLIENT_MODEL: model,
    CLIENT_PROMPT: prompt,
    CLIENT_RESUMES: resumes ? '1' : '',
    CLIENT_STATE: join(home, 'conversation.json'),
    CLIENT_FORMAT: choice,
  };
}

/** Describes one client for each of the four formats, which the framework speaks through separate packages. */
function framework(name: string, script: string, source: Client['source'], packages: readonly string[]): Client[] {
  return FORMATS.map((format) => ({
    name: `${name}-${format}`,
    format,
    source,
    packages,
    command: scriptFor(format, script, source),
    ...TOOLS,
  }));
}

/** @param choice tells the script which of its packages to use */
function scriptFor(choice: string, script: string, source: Client['source']): Client['command'] {
  return (job) => ({
    args: [
      source === 'npm' ? process.execPath : join(job.packages, 'bin/python'),
      join(import.meta.dir, 'scripts', script),
    ],
    env: { ...environment(job, choice), CLIENT_PACKAGES: join(job.packages, 'node_modules') },
  });
}

export const AI_SDK = framework('ai-sdk', 'ai-sdk.ts', 'npm', AI_SDK_PACKAGES);
/** The AI SDK with OpenRouter's provider. `openrouter.test.ts` uses the same packages. */
export const OPENROUTER: Client = {
  ...{ name: 'openrouter', format: 'openai-chat', source: 'npm', packages: OPENROUTER_PACKAGES },
  command: scriptFor('openrouter', 'ai-sdk.ts', 'npm'),
  ...TOOLS,
  // The provider sorts the arguments of earlier calls.
  write: (path, content) => ({ tool: 'write_file', input: { content, path } }),
};
export const LANGCHAIN = framework('langchain', 'langchain.ts', 'npm', LANGCHAIN_PACKAGES);
export const PYDANTIC_AI = framework('pydantic-ai', 'pydantic_ai_agent.py', 'pypi', PYDANTIC_PACKAGES);

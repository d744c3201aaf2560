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

function environment({ origin, apiKey, model, prompt, resumes, home }: Job, format: string): Record<string, string> {
  return {
    CLIENT_ORIGIN: origin,
    CLIENT_KEY: apiKey,
    CLIENT_MODEL: model,
    CLIENT_PROMPT: prompt,
    CLIENT_RESUMES: resumes ? '1' : '',
    CLIENT_STATE: join(home, 'conversation.json'),
    CLIENT_FORMAT: format,
  };
}

/** Describes one client for each of the four formats, which the framework speaks through separate packages. */
function framework(name: string, script: string, source: Client['source'], packages: readonly string[]): Client[] {
  return FORMATS.map((format) => ({
    name: `${name}-${format}`,
    format,
    source,
    packages,
    command: (job) => ({
      args: [
        source === 'npm' ? process.execPath : join(job.packages, 'bin/python'),
        join(import.meta.dir, 'scripts', script),
      ],
      env: { ...environment(job, format), CLIENT_PACKAGES: join(job.packages, 'node_modules') },
    }),
    ...TOOLS,
  }));
}

export const AI_SDK = framework('ai-sdk', 'ai-sdk.ts', 'npm', AI_SDK_PACKAGES);
export const LANGCHAIN = framework('langchain', 'langchain.ts', 'npm', LANGCHAIN_PACKAGES);
export const PYDANTIC_AI = framework('pydantic-ai', 'pydantic_ai_agent.py', 'pypi', PYDANTIC_PACKAGES);

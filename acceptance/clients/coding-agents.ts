import { join } from 'node:path';
import type { Client } from './client.ts';

const bin = (packages: string, name: string) => join(packages, 'node_modules/.bin', name);

export const CLAUDE_CODE: Client = {
  name: 'claude-code',
  format: 'anthropic-messages',
  source: 'npm',
  packages: ['@anthropic-ai/claude-code@2.1.330'],
  command: ({ origin, apiKey, model, prompt, resumes, packages }) => ({
    args: [
      ...[bin(packages, 'claude'), '-p', prompt, '--model', model, '--dangerously-skip-permissions'],
      ...(resumes ? ['--continue'] : []),
    ],
    env: {
      ANTHROPIC_BASE_URL: origin,
      ANTHROPIC_API_KEY: apiKey,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // Without it, the client refuses to skip permissions as root.
      IS_SANDBOX: '1',
    },
  }),
  read: (path) => ({ tool: 'Read', input: { file_path: path } }),
  run: (command) => ({ tool: 'Bash', input: { command, description: 'Run it' } }),
  write: (path, content) => ({ tool: 'Write', input: { file_path: path, content } }),
};

export const CODEX: readonly Client[] = [codex('codex', ''), codex('codex-websocket', ',supports_websockets=true')];

/** Describes Codex. `how` adds provider settings, for example to use one WebSocket for all requests. */
function codex(name: string, how: string): Client {
  return {
    name,
    format: 'openai-responses',
    source: 'npm',
    packages: ['@openai/codex@0.169.0'],
    command: ({ origin, apiKey, model, prompt, resumes, packages }) => ({
      args: [
        ...[bin(packages, 'codex'), 'exec', ...(resumes ? ['resume', '--last'] : [])],
        ...['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-m', model],
        ...[
          '-c',
          'model_provider="switchyard"',
          '-c',
          `model_providers.switchyard=${providerTable(origin, how)}`,
          prompt,
        ],
      ],
      env: { SWITCHYARD_KEY: apiKey },
    }),
    read: (path) => ({ tool: 'exec_command', input: { cmd: `cat '${path}'` } }),
    run: (cmd) => ({ tool: 'exec_command', input: { cmd } }),
    write: (path, content) => ({ tool: 'exec_command', input: { cmd: `printf %s '${content}' > '${path}'` } }),
  };
}

function providerTable(origin: string, how: string): string {
  return `{name="Switchyard",base_url="${origin}/v1",env_key="SWITCHYARD_KEY",wire_api="responses"${how}}`;
}

export const GEMINI_CLI: Client = {
  name: 'gemini-cli',
  format: 'gemini',
  source: 'npm',
  packages: ['@google/gemini-cli@0.61.0'],
  command: ({ origin, apiKey, model, prompt, resumes, packages }) => ({
    args: [
      ...[bin(packages, 'gemini'), '-m', model, '-p', prompt, '--approval-mode', 'yolo', '--skip-trust'],
      ...(resumes ? ['--resume', 'latest'] : []),
    ],
    env: { GOOGLE_GEMINI_BASE_URL: origin, GEMINI_API_KEY: apiKey },
    files: {
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { disableAutoUpdate: true },
        privacy: { usageStatisticsEnabled: false },
      }),
    },
  }),
  read: (path) => ({ tool: 'read_file', input: { file_path: path } }),
  run: (command) => ({ tool: 'run_shell_command', input: { command, description: 'Run it' } }),
  write: (path, content) => ({ tool: 'write_file', input: { file_path: path, content } }),
};

export const OPENCODE: Client = {
  name: 'opencode',
  format: 'openai-chat',
  source: 'npm',
  packages: ['opencode-ai@1.18.33'],
  command: ({ origin, apiKey, model, prompt, resumes, packages }) => ({
    args: [
      ...[bin(packages, 'opencode'), 'run', '--model', `switchyard/${model}`],
      ...(resumes ? ['--continue'] : []),
      prompt,
    ],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        permission: 'allow',
        provider: {
          switchyard: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Switchyard',
            options: { baseURL: `${origin}/v1`, apiKey },
            models: { [model]: { name: model } },
          },
        },
      }),
    },
  }),
  read: (path) => ({ tool: 'read', input: { filePath: path } }),
  run: (command) => ({ tool: 'bash', input: { command, description: 'Run it' } }),
  write: (path, content) => ({ tool: 'write', input: { filePath: path, content } }),
};

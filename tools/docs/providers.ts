import { z } from 'zod';
import { operationWires } from '../../src/formats/index.ts';
import { providers } from '../../src/providers/index.ts';
import type { ProviderManifest } from '../../src/providers/manifest.ts';
import { SERVER_FAMILIES } from '../../src/providers/shared/servers/index.ts';
import { OTHER_SERVER, type ServerFamily } from '../../src/providers/shared/servers/server-family.ts';

const INTRODUCTION = `# Providers

Generated from the manifests by \`npm run generate\`; a test fails while this page differs from them.

A channel names its provider (\`provider: groq\`). If the provider has the client's format, that is used, otherwise the first format in the list. A format
with \`*\` is used only if the channel's \`formats\` names it. \`base_url\` of a channel replaces the address. A format with a different address is then used
only if \`formats\` names it, at the channel's address. [losses/providers.md](losses/providers.md) lists where providers differ from their formats.
`;

function serverRow({ name, label, signs }: ServerFamily): string {
  const places = signs.map(({ path }) => (path === 'models' ? '`owned_by` in `/v1/models`' : `\`${path}\``));
  return `| \`${name}\` | ${label} | ${places.join(', or ')} |`;
}

/** Generates docs/providers.md. */
export function providersPage(): string {
  const sorted = [...providers.values()].sort((a, b) => a.label.localeCompare(b.label));
  const rows = sorted.map(
    (manifest) =>
      `| ${manifest.label} | \`${manifest.name}\` | ${keysOf(manifest)} | ${formatsOf(manifest)} | ${addressOf(manifest)} |`,
  );
  const settings = sorted.flatMap(settingsOf);
  return [
    INTRODUCTION,
    '| | `provider` | key from the environment | formats | address |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    '## Operations other than text',
    '',
    OTHER_OPERATIONS,
    '',
    '| provider | operations and their wires |',
    '|---|---|',
    ...sorted.flatMap(wiresOf),
    '',
    '## Settings',
    '',
    '| provider | `settings` | from the environment |',
    '|---|---|---|',
    ...settings,
    '',
    SERVERS,
    ...SERVER_FAMILIES.map(serverRow),
    '',
    DEPLOYMENTS,
    SPECIAL_KEYS,
  ].join('\n');
}

const OTHER_OPERATIONS =
  'A model with one of these operations in `operations` is served by channels of these providers, below the same address.';

const SERVERS = `## Servers behind an address

An \`openai-compatible\` address is often a server for open models. Servers differ in which member takes reasoning back, how thinking is enabled, and
whether they fetch images or accept system messages in mid-conversation. Name the server in the channel's settings:

\`\`\`yaml
channels:
  - id: cluster
    provider: openai-compatible
    base_url: http://10.0.0.7:8000/v1
    settings: { server: vllm }
    models: { qwen3: Qwen/Qwen3.6-27B }
\`\`\`

Without the setting, the gateway detects the server with up to six free GET requests: for shared channels at the start and after changes, for PRIVATE
channels at their first use. A result is trusted for an hour; after that, the next change of the channel detects again. An unreachable server is retried
for ten minutes. A start waits at most 0.5 s for
servers on this machine and at numeric addresses; the first requests to others may be sent without their rules. \`server: ${OTHER_SERVER}\` disables the detection.
\`switchyard channels test ID\`, the management API and the form of a channel show the server, and whether it was set or detected. A channel whose
\`provider\` is the server needs no setting.

| \`server\` | | detected by |
|---|---|---|`;

const DEPLOYMENTS = `## Deployments, aliases and inference profiles

The gateway knows a model's features (thinking, prompt caching, sampling parameters, image sizes) by its id. The name of an Azure deployment, a vLLM
alias or the ARN of a Bedrock inference profile does not identify the model. For such upstream ids the public id decides, so use the catalog's id:

\`\`\`yaml
channels:
  - id: bedrock
    provider: bedrock
    models:
      claude-opus-4-8: arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4e5f6
  - id: azure
    provider: azure-openai
    models: { gpt-5.1: production }
\`\`\`

At Azure, a public id from the catalog always decides, whatever the deployment's name. Elsewhere, an upstream id that is in the catalog or contains the
name of a family (\`us.anthropic.claude-…\`, \`Qwen/Qwen3-32B\`) takes precedence over the public id. If neither identifies the model, only the rules for all
models of the provider apply.
`;

const SPECIAL_KEYS = `## Special keys

Put every secret into \`api_key\`: it is the only field that is encrypted at rest.

- \`bedrock\`: a Bedrock API key, or AWS credentials as \`ACCESS_KEY_ID:SECRET_ACCESS_KEY\`, with \`:SESSION_TOKEN\` if they are temporary. Requests are
  then signed (Signature Version 4).
- \`vertex\`: the JSON key of a service account, as text (with or without line breaks) or as a map; empty for the credentials that Google's libraries find
  in the environment; without \`project\`, an API key of express mode.
- \`azure-openai\`: a key of the resource. The ids on the right side of \`models\` are deployments.
`;

function keysOf({ keyVariables, keyVariableGroups = [], keyRequired }: ProviderManifest): string {
  const groups = keyVariableGroups.map((group) => group.filter((name) => !name.endsWith('?')));
  const shown = [...keyVariables.map((name) => [name]), ...groups].map((names) => names.map(code).join(' and '));
  return shown.length === 0 ? (keyRequired ? 'none' : 'needs none') : shown.join(' or ');
}

function formatsOf({ formats }: ProviderManifest): string {
  return formats.map(({ format, optIn }) => `${format}${optIn === true ? '\\*' : ''}`).join(', ');
}

function wiresOf({ name, wires = [] }: ProviderManifest): string[] {
  const shown = wires.map(({ wire }) => `${operationWires.get(wire)?.operations.join(' and ')}: ${code(wire)}`);
  return shown.length === 0 ? [] : [`| ${code(name)} | ${shown.join(', ')} |`];
}

function addressOf({ baseUrl, baseUrlOf, local }: ProviderManifest): string {
  if (local !== undefined) return 'within the gateway';
  if (baseUrl !== null) return baseUrlOf === undefined ? code(baseUrl) : `${code(baseUrl)}, by the settings`;
  return baseUrlOf === undefined ? '`base_url` is required' : 'by the settings, or `base_url`';
}

function settingsOf({ name, settings, settingVariables = {} }: ProviderManifest): string[] {
  if (!(settings instanceof z.ZodObject)) return [];
  const keys = Object.keys(settings.shape).map(code).join(', ');
  const variables = Object.entries(settingVariables).map(
    ([key, names]) => `${code(key)}: ${names.map(code).join(', ')}`,
  );
  return [`| \`${name}\` | ${keys} | ${variables.join('; ')} |`];
}

function code(text: string): string {
  return `\`${text}\``;
}

import { z } from 'zod';
import { operationWires } from '../../src/formats/index.ts';
import { providers } from '../../src/providers/index.ts';
import type { ProviderManifest } from '../../src/providers/manifest.ts';
import { SERVER_FAMILIES } from '../../src/providers/shared/servers/index.ts';
import { OTHER_SERVER, type ServerFamily } from '../../src/providers/shared/servers/server-family.ts';

const INTRODUCTION = `# Providers

Generated from the manifests by \`npm run generate\`; a test fails while this page differs from them.

A channel names its provider (\`provider: groq\`). Formats stand in the order of preference: a client's own format is always used
where the provider has it, else the first one. Those marked \`*\` are used only by a channel whose \`formats\` names them. A channel's
\`base_url\` takes the place of the address; a format that the provider has at another address is then used only if \`formats\` names it,
and at the channel's address. Where a provider differs from its formats is told in [losses/providers.md](losses/providers.md).
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
    '## Beside texts',
    '',
    BESIDE_TEXTS,
    '',
    '| provider | operations, each over which wire |',
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
    KEYS_OF_THEIR_OWN_KIND,
  ].join('\n');
}

const BESIDE_TEXTS =
  'A model whose `operations` hold one of these is reached over a channel of these providers, below the same address.';

const SERVERS = `## Servers behind an address

An \`openai-compatible\` address is often a server of open models, and each has rules of its own: in which member it takes thoughts back, how
thinking is switched, whether it fetches images or takes system messages midway. Name the server in the channel's settings:

\`\`\`yaml
channels:
  - id: cluster
    provider: openai-compatible
    base_url: http://10.0.0.7:8000/v1
    settings: { server: vllm }
    models: { qwen3: Qwen/Qwen3.6-27B }
\`\`\`

Without the setting the gateway recognizes the server by what it says of itself: up to six questions (GET) that cost nothing, for shared channels at
the start and after changes, for PRIVATE ones when they are first used, and again an hour later when the channel changes. A server that cannot be
reached is asked again for ten minutes. A start waits at most 0.5 s for servers on this machine and at addresses in numbers; the first requests to
others may go out without their rules. \`server: ${OTHER_SERVER}\` stands for any other server, and asks nothing. \`switchyard channels test ID\`, the management
API and the form of a channel show the server, and whether it was set or recognized. A channel whose \`provider\` is the server itself needs no setting.

| \`server\` | | recognized by |
|---|---|---|`;

const DEPLOYMENTS = `## Deployments, aliases and inference profiles

What a model takes (thinking, prompt caching, sampling parameters, image sizes) is known by its id. The name of an Azure deployment, an alias of
vLLM or the ARN of a Bedrock inference profile does not tell the model. For such an upstream id the rules follow the public id, so name the model
of the catalog there:

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

At Azure the public id counts if it is in the catalog, whatever the deployment is called. Everywhere else an upstream id that is in the catalog,
or holds the name of a family (\`us.anthropic.claude-…\`, \`Qwen/Qwen3-32B\`), counts before the public one. A public id that is neither in the catalog
nor holds such a name leaves the model unknown: the request then goes out by the rules that hold for every model of the provider.
`;

const KEYS_OF_THEIR_OWN_KIND = `## Keys of their own kind

Only \`api_key\` is encrypted at rest, so all that is secret goes there.

- \`bedrock\`: a Bedrock API key, or AWS credentials as \`ACCESS_KEY_ID:SECRET_ACCESS_KEY\`, for temporary ones followed by
  \`:SESSION_TOKEN\`. Requests are then signed (Signature Version 4).
- \`vertex\`: the JSON of a service account as Google hands it out, as a text (with or without line breaks) or as a map; or nothing for
  the credentials of the environment that Google's libraries find; without \`project\` an API key of express mode.
- \`azure-openai\`: a key of the resource. The model ids on the right of \`models\` are deployments.
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

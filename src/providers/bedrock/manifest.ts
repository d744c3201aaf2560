import { z } from 'zod';
import type { ProviderManifest, UpstreamCall } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { FURTHER_BETAS } from '../shared/messages-betas.ts';
import { CLAUDE_CATALOG } from '../shared/vendor-models.ts';
import { authorize, regionOf, signer } from './authorize.ts';
import { converseGoverns, messagesGoverns } from './governs.ts';
import yaml from './models.yaml' with { type: 'text' };
import { CLAUDE, converseQuirks, messagesBetas, messagesQuirks } from './quirks.ts';

function baseUrlOf(settings: Readonly<Record<string, unknown>>): string {
  const region = regionOf(settings);
  return `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/**
 * Returns the path of a model. Models, inference profiles and everything else with an ARN are one path segment; colons and
 * slashes in it are encoded, and encoded once more for signing.
 */
function pathOf(model: string, operation: string): string {
  return `/model/${encodeURIComponent(model)}/${operation}`;
}

function invokePath({ model }: UpstreamCall): string {
  return pathOf(model, 'invoke');
}

/**
 * Amazon Bedrock. Claude is reached in Anthropic's own format, which loses nothing (Bedrock user guide, "Anthropic Claude
 * Messages API"); every model can be reached through Converse.
 */
export const bedrock: ProviderManifest = {
  name: 'bedrock',
  label: 'Amazon Bedrock',
  baseUrl: baseUrlOf({}),
  keyVariables: ['AWS_BEARER_TOKEN_BEDROCK'],
  keyVariableGroups: [['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN?']],
  keyRequired: true,
  keyPattern: /^(?:ABSK|bedrock-api-key-)[\w+/=-]{20,}$|^A(?:KIA|SIA)[A-Z2-7]{16}:/,
  settingVariables: { region: ['AWS_REGION', 'AWS_DEFAULT_REGION'] },
  formats: [
    {
      format: 'anthropic-messages',
      path: ({ model, stream }: UpstreamCall) => pathOf(model, stream ? 'invoke-with-response-stream' : 'invoke'),
      models: CLAUDE,
      quirks: messagesQuirks,
      governs: messagesGoverns,
      body: {
        remove: ['model', 'stream'],
        add: { anthropic_version: '"bedrock-2023-05-31"' },
        betaMember: 'anthropic_beta',
        betas: messagesBetas,
      },
      framing: 'aws-event-stream',
    },
    {
      format: 'bedrock-converse',
      path: ({ model, stream }: UpstreamCall) => pathOf(model, stream ? 'converse-stream' : 'converse'),
      quirks: converseQuirks,
      governs: converseGoverns,
      framing: 'aws-event-stream',
      countTokens: ({ model }: UpstreamCall) => pathOf(model, 'count-tokens'),
    },
  ],
  wires: [
    { wire: 'cohere-embed', path: invokePath, models: /\bcohere\.embed-/, members: { model: null } },
    // The ARN of a profile or of provisioned throughput does not reveal its model, which is assumed to be Titan.
    { wire: 'bedrock-embeddings', path: invokePath, models: /^(?!.*\b(?:nova|cohere|marengo)\b)/ },
    // The request format of Amazon's own reranker could not be verified. An ARN is assumed to be Cohere's.
    { wire: 'bedrock-rerank', path: invokePath, models: /^(?!.*\bamazon\.rerank-)/ },
  ],
  settings: z.strictObject({
    region: z
      .string()
      .regex(/^[a-z]{2}(?:-[a-z]+)+-\d{1,2}$/, 'must be an AWS region such as eu-central-1')
      .optional()
      .meta({ title: 'Region', description: 'e.g. `eu-central-1`. Defaults to `us-east-1`.' }),
    beta_flags: FURTHER_BETAS,
  }),
  baseUrlOf,
  authorize,
  signer,
  models: catalogOf('bedrock', yaml, CLAUDE_CATALOG),
};

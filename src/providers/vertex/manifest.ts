import { z } from 'zod';
import type { ProviderManifest, UpstreamCall } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { ANTHROPIC_GOVERNS } from '../shared/governed/anthropic.ts';
import { GEMINI_GOVERNS } from '../shared/governed/gemini.ts';
import { FURTHER_BETAS } from '../shared/messages-betas.ts';
import { CLAUDE_CATALOG, GEMINI_CATALOG } from '../shared/vendor-models.ts';
import { authorize, signer, untrustedKeyProblem } from './authorize.ts';
import yaml from './models.yaml' with { type: 'text' };
import { geminiQuirks, messagesBetas, messagesQuirks } from './quirks.ts';

type Settings = Readonly<Record<string, unknown>>;

const DEFAULT_LOCATION = 'global';

function locationOf({ location }: Settings): string {
  return typeof location === 'string' ? location : DEFAULT_LOCATION;
}

/**
 * Returns the base address (Google Cloud, "Locations"): the global endpoint, a multi-region one (`us`, `eu`), or one per region.
 */
function baseUrlOf(settings: Settings): string {
  const location = locationOf(settings);
  if (location === DEFAULT_LOCATION) return 'https://aiplatform.googleapis.com';
  if (/^[a-z]{2}$/.test(location)) return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}

/**
 * Returns the parent path. Without a project it is the express mode, whose URLs have none, because its API key belongs to one.
 */
function parentOf(settings: Settings): string {
  const { project } = settings;
  return typeof project === 'string' ? `/projects/${project}/locations/${locationOf(settings)}` : '';
}

/** Encodes an id, except for the `@` that Google's own ids have before their version. */
function encodeId(id: string): string {
  return encodeURIComponent(id).replaceAll('%40', '@');
}

/** Returns a model's path: a tuned model is called by its endpoint (`endpoints/123`), all others by publisher and name. */
function pathOf(version: string, publisher: string, { model, settings }: UpstreamCall, method: string): string {
  const endpoint = /^endpoints\/(.+)$/.exec(model)?.[1];
  const resource =
    endpoint === undefined ? `publishers/${publisher}/models/${encodeId(model)}` : `endpoints/${encodeId(endpoint)}`;
  return `/${version}${parentOf(settings)}/${resource}:${method}`;
}

function methodOf({ stream }: UpstreamCall): string {
  return stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
}

/** Returns the path of ranking models, which are reached through another Google Cloud API, at its global location. */
function rankPath({ settings }: UpstreamCall): string {
  const { project = '-' } = settings;
  return `/v1/projects/${project}/locations/global/rankingConfigs/default_ranking_config:rank`;
}

/**
 * Google Vertex AI: Gemini in its own format, over the API's beta version, which Google's SDK uses too because it has more
 * fields, and Claude in Anthropic's format (platform.claude.com, "Claude on Vertex AI").
 */
export const vertex: ProviderManifest = {
  name: 'vertex',
  label: 'Google Vertex AI',
  baseUrl: baseUrlOf({}),
  keyVariables: [],
  keyRequired: false,
  takesCredentialsFile: true,
  keyPattern: /^\s*\{[\s\S]*"type"\s*:\s*"service_account"/,
  settingVariables: { project: ['GOOGLE_CLOUD_PROJECT'], location: ['GOOGLE_CLOUD_LOCATION'] },
  formats: [
    {
      format: 'gemini',
      path: (call: UpstreamCall) => pathOf('v1beta1', 'google', call, methodOf(call)),
      models: /^(?!claude-)/,
      quirks: geminiQuirks,
      governs: GEMINI_GOVERNS,
      countTokens: (call: UpstreamCall) => pathOf('v1beta1', 'google', call, 'countTokens'),
    },
    {
      format: 'anthropic-messages',
      path: (call: UpstreamCall) => pathOf('v1', 'anthropic', call, call.stream ? 'streamRawPredict' : 'rawPredict'),
      models: /^claude-/,
      quirks: messagesQuirks,
      governs: ANTHROPIC_GOVERNS,
      body: { remove: ['model'], add: { anthropic_version: '"vertex-2023-10-16"' }, betas: messagesBetas },
    },
  ],
  wires: [
    {
      wire: 'vertex-embeddings',
      path: (call: UpstreamCall) => pathOf('v1', 'google', call, 'predict'),
      // The second generation has no `predict`.
      models: /^(?!gemini-embedding-2)/,
    },
    {
      wire: 'vertex-ranking',
      baseUrl: 'https://discoveryengine.googleapis.com',
      path: rankPath,
      models: /^semantic-ranker-/,
    },
    { wire: 'imagen', path: (call: UpstreamCall) => pathOf('v1', 'google', call, 'predict'), models: /^imagen-/ },
    {
      wire: 'gemini-images',
      path: (call: UpstreamCall) => pathOf('v1beta1', 'google', call, 'generateContent'),
      models: /^(?!claude-|imagen-)/,
    },
    {
      wire: 'veo',
      path: (call: UpstreamCall) => pathOf('v1', 'google', call, 'predictLongRunning'),
      models: /^(?!claude-|gemini-)/,
    },
    {
      wire: 'gemini-speech',
      path: (call: UpstreamCall) => pathOf('v1beta1', 'google', call, methodOf(call)),
      governs: GEMINI_GOVERNS,
    },
    {
      wire: 'gemini-transcriptions',
      path: (call: UpstreamCall) => pathOf('v1beta1', 'google', call, 'generateContent'),
      models: /^(?!claude-)/,
      governs: GEMINI_GOVERNS,
    },
  ],
  settings: z.strictObject({
    project: z
      .string()
      .regex(/^(?:[a-z0-9.-]+:)?[a-z0-9][a-z0-9-]{0,62}$/, 'must be the id of a Google Cloud project')
      .optional()
      .meta({
        title: 'Project',
        description: 'The Google Cloud project ID. Defaults to the project of the credentials.',
      }),
    location: z
      .string()
      .regex(/^[a-z]+(?:-[a-z]+\d{1,2})?$/, 'must be a location such as europe-west1, or global')
      .optional()
      .meta({ title: 'Location', description: 'e.g. `europe-west1`. Defaults to `global`.' }),
    beta_flags: FURTHER_BETAS,
  }),
  baseUrlOf,
  authorize,
  signer,
  untrustedKeyProblem,
  models: catalogOf('vertex', yaml, () => [...GEMINI_CATALOG(), ...CLAUDE_CATALOG()]),
};

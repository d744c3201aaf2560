import { z } from 'zod';
import type { ProviderManifest, Providers } from '../../../providers/manifest.ts';
import type { FieldPath, Problem } from '../admin-error.ts';
import { holdsCredentialsFile, noCredentialsFile } from './channel-key.ts';
import { didYouMean, shapeProblems } from './shape-problems.ts';
import { duplicates, field, list, namesIn, text } from './unchecked.ts';
import { upstreamKeyProblems } from './upstream-keys.ts';

/** Returns the problems that no single field of a channel shows: what its provider requires, and which models it serves. */
export function channelProblems(channel: unknown, path: FieldPath, providers: Providers): Problem[] {
  const models = list(field(channel, 'models'));
  const problems = [
    ...duplicates(models.map((id, at) => [[...path, 'models', at], typeof id === 'string' ? id : undefined])),
    ...unservedProblems(channel, field(channel, 'costs'), [...path, 'costs']),
    ...unservedProblems(channel, field(field(channel, 'timeouts'), 'models'), [...path, 'timeouts', 'models']),
  ];
  const name = text(channel, 'provider');
  const manifest = name === undefined ? undefined : providers.get(name);
  problems.push(...upstreamKeyProblems(channel, path, manifest));
  if (name === undefined) return problems;
  if (manifest !== undefined) return [...problems, ...manifestProblems(channel, path, manifest)];
  const message = `unknown provider${didYouMean(name, [...providers.keys()])}`;
  return [...problems, { path: [...path, 'provider'], message, isAboutValue: true }];
}

/** Returns a problem for each model in `byModel` that the channel does not serve. */
function unservedProblems(channel: unknown, byModel: unknown, path: FieldPath): Problem[] {
  const models = field(channel, 'models');
  const served = Array.isArray(models) ? models.filter((id) => typeof id === 'string') : namesIn(models);
  return namesIn(byModel)
    .filter((id) => !served.includes(id))
    .map((id) => ({
      path: [...path, id],
      message: `the channel does not serve the model ${JSON.stringify(id)}${didYouMean(id, served)}`,
      isAboutValue: false,
    }));
}

function manifestProblems(channel: unknown, path: FieldPath, manifest: ProviderManifest): Problem[] {
  const problems: Problem[] = [];
  const isMissing = (name: string) => (field(channel, name) ?? '') === '';
  if (isMissing('base_url') && !hasAddress(manifest, field(channel, 'settings'))) {
    const settings = manifest.baseUrlOf === undefined ? '' : ', unless the settings give it';
    const message = `is required: ${manifest.name} has no default address${settings}`;
    problems.push({ path: [...path, 'base_url'], message, isAboutValue: false });
  }
  if (manifest.keyRequired && isMissing('api_key') && field(channel, 'api_keys') == null) {
    problems.push({ path: [...path, 'api_key'], message: `is required by ${manifest.name}`, isAboutValue: false });
  }
  if (manifest.takesCredentialsFile !== true && holdsCredentialsFile(field(channel, 'api_key'))) {
    problems.push({ path: [...path, 'api_key'], message: noCredentialsFile(manifest), isAboutValue: true });
  }
  if (field(channel, 'batches') === 'relay' && manifest.batches === undefined) {
    const message = `${manifest.name} has no batches that lines can be relayed to: use own, or leave it out`;
    problems.push({ path: [...path, 'batches'], message, isAboutValue: true });
  }
  return [...problems, ...settingsProblems(channel, path, manifest), ...formatProblems(channel, path, manifest)];
}

function formatProblems(channel: unknown, path: FieldPath, manifest: ProviderManifest): Problem[] {
  const known = manifest.formats.map((entry) => entry.format);
  const names = list(field(channel, 'formats')).map((value) => (typeof value === 'string' ? value : undefined));
  const problems = duplicates(names.map((name, at) => [[...path, 'formats', at], name]));
  for (const [at, name] of names.entries()) {
    if (name === undefined || known.includes(name)) continue;
    const hint = didYouMean(name, known) || (known.length === 0 ? '; it has none' : ` (it has ${known.join(', ')})`);
    const message = `${manifest.name} has no such format${hint}`;
    problems.push({ path: [...path, 'formats', at], message, isAboutValue: true });
  }
  return problems;
}

function settingsProblems(channel: unknown, path: FieldPath, manifest: ProviderManifest): Problem[] {
  const settings = field(channel, 'settings') ?? {};
  if (typeof settings !== 'object') return [];
  const schema = manifest.settings ?? NO_SETTINGS;
  const parsed = schema.safeParse(settings);
  if (parsed.success) return [];
  const prefix = [...path, 'settings'];
  if (manifest.settings === undefined) {
    return [{ path: prefix, message: `${manifest.name} has no settings`, isAboutValue: false }];
  }
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const found = shapeProblems(settings, parsed.error.issues, (at) => (at.length === 0 ? known : []));
  return found.map((problem) => ({ ...problem, path: [...prefix, ...problem.path] }));
}

const NO_SETTINGS = z.strictObject({});

/** Invalid settings are reported elsewhere, and must not cause another problem here. */
function hasAddress(manifest: ProviderManifest, settings: unknown): boolean {
  if (manifest.baseUrl !== null || manifest.local !== undefined) return true;
  if (manifest.baseUrlOf === undefined) return false;
  const parsed = (manifest.settings ?? NO_SETTINGS).safeParse(settings ?? {});
  return !parsed.success || manifest.baseUrlOf(parsed.data) !== null;
}

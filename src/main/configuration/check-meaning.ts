import { z } from 'zod';
import type { ProviderManifest } from '../../providers/manifest.ts';
import { shapeProblems, shownValue } from './check-shape.ts';
import { didYouMean } from './closest.ts';
import { type FieldPath, formatPath, type Problem } from './problem.ts';
import type { YamlTree } from './yaml-tree.ts';

export type Providers = ReadonlyMap<string, ProviderManifest>;

/**
 * What no field can say alone: duplicates, references, what a provider demands. It reads the values as they are in the
 * file, since one field's wrong shape must not hide another's wrong meaning.
 */
export function meaningProblems(tree: YamlTree, providers: Providers): Problem[] {
  const checker = new MeaningChecker(tree, providers);
  checker.checkAccounts();
  checker.checkChannels();
  checker.checkModels();
  return checker.problems;
}

type Place = readonly [path: FieldPath, value: string | undefined];

class MeaningChecker {
  readonly problems: Problem[] = [];
  private readonly accounts: readonly unknown[];
  private readonly channels: readonly unknown[];

  constructor(
    private readonly tree: YamlTree,
    private readonly providers: Providers,
  ) {
    this.accounts = list(field(tree.value, 'accounts'));
    this.channels = list(field(tree.value, 'channels'));
  }

  checkAccounts(): void {
    this.checkUnique(this.accounts.map((account, index) => [['accounts', index, 'id'], text(account, 'id')]));
    const secrets: Place[] = [];
    for (const [index, account] of this.accounts.entries()) {
      for (const kind of ['keys', 'management_tokens']) {
        const path = ['accounts', index, kind];
        const credentials = list(field(account, kind));
        this.checkUnique(credentials.map((key, at) => [[...path, at, 'id'], text(key, 'id')]));
        secrets.push(...credentials.map((key, at): Place => [[...path, at, 'secret'], text(key, 'secret')]));
      }
    }
    this.checkUnique(secrets);
  }

  checkChannels(): void {
    this.checkUnique(this.channels.map((channel, index) => [['channels', index, 'id'], text(channel, 'id')]));
    for (const [index, channel] of this.channels.entries()) {
      const path = ['channels', index];
      this.checkOwner(channel, [...path, 'owner']);
      const models = list(field(channel, 'models'));
      this.checkUnique(models.map((id, at) => [[...path, 'models', at], typeof id === 'string' ? id : undefined]));
      this.checkServed(channel, field(channel, 'costs'), [...path, 'costs']);
      this.checkServed(channel, field(field(channel, 'timeouts'), 'models'), [...path, 'timeouts', 'models']);
      const name = text(channel, 'provider');
      if (name === undefined) continue;
      const manifest = this.providers.get(name);
      if (manifest === undefined) {
        this.report([...path, 'provider'], `unknown provider${didYouMean(name, [...this.providers.keys()])}`, true);
      } else {
        this.checkAgainstManifest(channel, path, manifest);
      }
    }
  }

  checkModels(): void {
    const models = list(field(this.tree.value, 'models'));
    this.checkUnique(models.map((model, index) => [['models', index, 'id'], text(model, 'id')]));
    for (const [index, model] of models.entries()) {
      const tags = list(field(model, 'tags'));
      this.checkUnique(
        tags.map((tag, at) => [['models', index, 'tags', at], typeof tag === 'string' ? tag : undefined]),
      );
    }
  }

  /** No value twice; a second one is told where the first is. */
  checkUnique(places: readonly Place[]): void {
    const first = new Map<string, FieldPath>();
    for (const [path, value] of places) {
      if (value === undefined || value === '') continue;
      const earlier = first.get(value);
      if (earlier === undefined) first.set(value, path);
      else this.report(path, `is already used by ${formatPath(earlier)} in line ${this.tree.lineOf(earlier)}`, true);
    }
  }

  private checkOwner(channel: unknown, path: FieldPath): void {
    const owner = text(channel, 'owner');
    if (owner === undefined) return;
    const known = this.accounts.map((account) => text(account, 'id')).filter((id) => id !== undefined);
    if (!known.includes(owner)) {
      this.report(path, `must be the id of an account in this file${didYouMean(owner, known)}`, true);
    }
  }

  /** What is said by model names only those that the channel serves. */
  private checkServed(channel: unknown, byModel: unknown, path: FieldPath): void {
    const models = field(channel, 'models');
    const served = Array.isArray(models) ? models.filter((id) => typeof id === 'string') : namesIn(models);
    for (const id of namesIn(byModel)) {
      if (!served.includes(id)) {
        this.report(
          [...path, id],
          `the channel does not serve the model ${JSON.stringify(id)}${didYouMean(id, served)}`,
        );
      }
    }
  }

  private checkAgainstManifest(channel: unknown, path: FieldPath, manifest: ProviderManifest): void {
    const isMissing = (name: string) => (field(channel, name) ?? '') === '';
    if (isMissing('base_url') && !hasAddress(manifest, field(channel, 'settings'))) {
      const settings = manifest.baseUrlOf === undefined ? '' : ', unless the settings tell it';
      this.report([...path, 'base_url'], `is required: ${manifest.name} has no address of its own${settings}`);
    }
    if (manifest.keyRequired && isMissing('api_key')) {
      this.report([...path, 'api_key'], `is required by ${manifest.name}`);
    }
    this.checkSettings(channel, path, manifest);
    const formats = list(field(channel, 'formats'));
    const known = manifest.formats.map((entry) => entry.format);
    const names = formats.map((value) => (typeof value === 'string' ? value : undefined));
    this.checkUnique(names.map((name, at) => [[...path, 'formats', at], name]));
    for (const [at, name] of names.entries()) {
      if (name === undefined || known.includes(name)) continue;
      const hint = didYouMean(name, known) || ` (it has ${known.join(', ')})`;
      this.report([...path, 'formats', at], `${manifest.name} has no such format${hint}`, true);
    }
  }

  private checkSettings(channel: unknown, path: FieldPath, manifest: ProviderManifest): void {
    const settings = field(channel, 'settings') ?? {};
    if (typeof settings !== 'object') return;
    const schema = manifest.settings ?? NO_SETTINGS;
    const parsed = schema.safeParse(settings);
    if (parsed.success) return;
    const prefix = [...path, 'settings'];
    const issues = parsed.error.issues.map((issue) => ({ ...issue, path: [...prefix, ...issue.path] }));
    const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
    const found = shapeProblems(this.tree, issues, (at) => (at.length === prefix.length ? known : []));
    if (manifest.settings !== undefined) this.problems.push(...found);
    else this.report(prefix, `${manifest.name} takes no settings`);
  }

  private report(path: FieldPath, message: string, withValue = false): void {
    const shown = withValue ? shownValue(this.tree, path) : '';
    this.problems.push({ line: this.tree.lineOf(path), path, message: message + shown });
  }
}

const NO_SETTINGS = z.strictObject({});

/** Settings that are wrong are reported elsewhere; here they are only not to be in the way. */
function hasAddress(manifest: ProviderManifest, settings: unknown): boolean {
  if (manifest.baseUrl !== null || manifest.local !== undefined) return true;
  if (manifest.baseUrlOf === undefined) return false;
  const parsed = (manifest.settings ?? NO_SETTINGS).safeParse(settings ?? {});
  return !parsed.success || manifest.baseUrlOf(parsed.data) !== null;
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function namesIn(value: unknown): readonly string[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
}

function text(value: unknown, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === 'string' ? found : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

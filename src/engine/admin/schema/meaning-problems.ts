import type { Providers } from '../../../providers/manifest.ts';
import type { FieldPath, Problem } from '../admin-error.ts';
import { alertsProblems } from './alert-section.ts';
import { channelProblems } from './channel-problems.ts';
import { exportsProblems } from './export-section.ts';
import { guardsProblems } from './guard.ts';
import { rulesProblems } from './rules-problems.ts';
import { didYouMean } from './shape-problems.ts';
import { duplicates, field, list, type Place, text } from './unchecked.ts';

/**
 * Returns the problems that involve several fields of a configuration: duplicates, references, and requirements of a provider. It reads the
 * values as they were written, so that an invalid field does not hide a problem of another one.
 */
export function meaningProblems(configuration: unknown, providers: Providers): Problem[] {
  const accounts = list(field(configuration, 'accounts'));
  return [
    ...accountProblems(accounts),
    ...budgetProblems(accounts, list(field(configuration, 'models'))),
    ...list(field(configuration, 'channels')).flatMap((channel, index, channels) => [
      ...(index === 0 ? idProblems('channels', channels) : []),
      ...ownerProblems(channel, ['channels', index, 'owner'], accounts),
      ...channelProblems(channel, ['channels', index], providers),
    ]),
    ...modelProblems(list(field(configuration, 'models'))),
    ...guardsProblems(configuration),
    ...signInProblems(configuration),
    ...mailProblems(field(configuration, 'mail')),
    ...alertsProblems(configuration),
    ...exportsProblems(configuration),
  ];
}

function idProblems(section: string, objects: readonly unknown[]): Problem[] {
  return duplicates(objects.map((object, index) => [[section, index, 'id'], text(object, 'id')]));
}

function accountProblems(accounts: readonly unknown[]): Problem[] {
  const problems = idProblems('accounts', accounts);
  const secrets: Place[] = [];
  for (const [index, account] of accounts.entries()) {
    for (const kind of ['keys', 'management_tokens']) {
      const path = ['accounts', index, kind];
      const credentials = list(field(account, kind));
      problems.push(...duplicates(credentials.map((key, at) => [[...path, at, 'id'], text(key, 'id')])));
      secrets.push(...credentials.map((key, at): Place => [[...path, at, 'secret'], text(key, 'secret')]));
    }
  }
  return [...problems, ...duplicates(secrets)];
}

/** Returns the problems of budgets whose cheaper model is a virtual one. */
function budgetProblems(accounts: readonly unknown[], models: readonly unknown[]): Problem[] {
  const virtual = new Set(models.flatMap((model) => (field(model, 'rules') == null ? [] : (text(model, 'id') ?? []))));
  if (virtual.size === 0) return [];
  const problemsOf = (holder: unknown, path: FieldPath): Problem[] => {
    const model = text(field(field(holder, 'budget'), 'then'), 'model');
    if (model === undefined || !virtual.has(model)) return [];
    const message = 'is a virtual model; name a model that its rules lead to';
    return [{ path: [...path, 'budget', 'then', 'model'], message, isAboutValue: true }];
  };
  return accounts.flatMap((account, index) => [
    ...problemsOf(account, ['accounts', index]),
    ...list(field(account, 'keys')).flatMap((key, at) => problemsOf(key, ['accounts', index, 'keys', at])),
  ]);
}

function ownerProblems(channel: unknown, path: FieldPath, accounts: readonly unknown[]): Problem[] {
  const owner = text(channel, 'owner');
  if (owner === undefined) return [];
  const known = accounts.map((account) => text(account, 'id')).filter((id) => id !== undefined);
  if (known.includes(owner)) return [];
  const message = `must be the id of an account in this file${didYouMean(owner, known)}`;
  return [{ path, message, isAboutValue: true }];
}

/** Returns the problems of the section `sign_in`. Open registration requires mail, by which a person proves an address. */
function signInProblems(configuration: unknown): Problem[] {
  const section = field(configuration, 'sign_in');
  const providers = list(field(section, 'oidc'));
  const problems = duplicates(providers.map((one, at) => [['sign_in', 'oidc', at, 'id'], text(one, 'id')]));
  const hasAddress = text(field(configuration, 'server'), 'public_url') !== undefined;
  if (text(section, 'registration') !== 'open' || (field(configuration, 'mail') && hasAddress)) return problems;
  const message =
    'can be open only with the section mail and server.public_url, since registration sends a link by email';
  return [...problems, { path: ['sign_in', 'registration'], message, isAboutValue: true }];
}

/** Returns the problems of the section `mail`: in a file, a server without a sender is a mistake. */
function mailProblems(section: unknown): Problem[] {
  const [present, ...others] = ['smtp_url', 'from'].filter((name) => text(section, name) !== undefined);
  if (present === undefined || others.length > 0) return [];
  const missing = present === 'from' ? 'smtp_url' : 'from';
  return [{ path: ['mail', missing], message: `is required with ${present}`, isAboutValue: false }];
}

function modelProblems(models: readonly unknown[]): Problem[] {
  return [
    ...idProblems('models', models),
    ...models.flatMap((model, index) => tagProblems(model, ['models', index])),
    ...rulesProblems(models),
  ];
}

/** Returns the problems of a model's tags; also used for a model that is declared by itself. */
export function tagProblems(model: unknown, path: FieldPath): Problem[] {
  const tags = list(field(model, 'tags'));
  return duplicates(tags.map((tag, at) => [[...path, 'tags', at], typeof tag === 'string' ? tag : undefined]));
}

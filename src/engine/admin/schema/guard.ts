import { z } from 'zod';
import {
  FAILURE_MODES,
  HELD_CHARACTERS,
  MOST_NAMED_GUARDS,
  type ModerationRule,
  PII_CLASSES,
  UNGUARDED_MODES,
  type WebhookRule,
} from '../../../domain/guards/guard.ts';
import { LONGEST_PATTERN, PatternError } from '../../../domain/guards/patterns/parse-pattern.ts';
import { Pattern } from '../../../domain/guards/patterns/pattern.ts';
import { GUARD_ACTIONS, GUARD_STAGES } from '../../../domain/verdicts/guard-verdict.ts';
import { flag, integer, listOf, MAP, mapOf, number, oneOf, text } from '../../../providers/shared/file-fields.ts';
import { WEBHOOK_SECRET } from '../../alerts/sign-webhook.ts';
import type { Problem } from '../admin-error.ts';
import type { ConfiguredGuard } from '../configuration/configuration.ts';
import { webhookAddressProblems } from './alert-section.ts';
import { identifier, name } from './fields.ts';
import { duplicates, field, list, text as textIn } from './unchecked.ts';

/* Guards as configuration files and the verbs of administration write them (docs/guards.md). */

const MOST_PATTERNS = 50;
const MOST_TERM_LISTS = 20;
const MOST_TERMS = 1_000;
const MOST_CATEGORIES = 50;
const LEAST_TIMEOUT_MS = 100;
export const MOST_TIMEOUT_MS = 30_000;
const USUAL_TIMEOUT_MS = 3_000;

const ruleName = text(
  'must be a name of 1 to 40 lower-case letters, digits, "-" or "_", beginning with a letter',
  /^[a-z][a-z0-9_-]{0,39}$/,
);
const action = oneOf(GUARD_ACTIONS);

export const guardPatternSchema = z
  .strictObject(
    {
      name: ruleName,
      pattern: text(`must be a regular expression of 1 to ${LONGEST_PATTERN} characters`, /^[\s\S]{1,500}$/),
      ignore_case: flag.nullish(),
      action: action.nullish(),
    },
    MAP,
  )
  .superRefine(({ pattern, ignore_case }, context) => {
    try {
      new Pattern(pattern, { ignoreCase: ignore_case ?? false });
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      context.addIssue({ code: 'custom', path: ['pattern'], message: error.message });
    }
  });

export const guardPiiSchema = z.strictObject({ class: oneOf(PII_CLASSES), action: action.nullish() }, MAP);

export const guardTermsSchema = z.strictObject(
  {
    name: ruleName,
    terms: listOf(
      text('must be a word or phrase of 1 to 100 characters', /^(?=.*\S)[^\p{Cc}]{1,100}$/u),
      'terms',
      MOST_TERMS,
    ).min(1, {
      error: 'must have at least one term',
    }),
    within_words: flag.nullish(),
    leetspeak: flag.nullish(),
    action: action.nullish(),
  },
  MAP,
);

const failureMode = oneOf(FAILURE_MODES);
const timeoutMs = integer(
  `must be ${LEAST_TIMEOUT_MS} to ${MOST_TIMEOUT_MS} milliseconds`,
  LEAST_TIMEOUT_MS,
  MOST_TIMEOUT_MS,
);

export const guardModerationSchema = z.strictObject(
  {
    model: identifier,
    thresholds: mapOf(
      text('must be the name of a category, of 1 to 60 characters', /^[A-Za-z0-9/_-]{1,60}$/),
      number('must be a number from 0 to 1', 0, 1),
      'thresholds',
      MOST_CATEGORIES,
    ).nullish(),
    action: oneOf(['refuse', 'flag']).nullish(),
    images: flag.nullish(),
    on_failure: failureMode.nullish(),
    timeout_ms: timeoutMs.nullish(),
  },
  MAP,
);

export const guardWebhookSchema = z.strictObject(
  {
    url: text('must be an http:// or https:// address of at most 2048 characters', /^https?:\/\/\S{1,2040}$/),
    secret: text('must be "whsec_" and base64 of 24 to 64 bytes', WEBHOOK_SECRET),
    on_failure: failureMode.nullish(),
    timeout_ms: timeoutMs.nullish(),
  },
  MAP,
);

export const guardSchema = z.strictObject(
  {
    id: identifier,
    name: name.nullish(),
    stages: listOf(oneOf(GUARD_STAGES), 'stages', GUARD_STAGES.length)
      .min(1, { error: 'must name input, output or both' })
      .nullish(),
    patterns: listOf(guardPatternSchema, 'patterns', MOST_PATTERNS).nullish(),
    pii: listOf(guardPiiSchema, 'classes', PII_CLASSES.length).nullish(),
    terms: listOf(guardTermsSchema, 'lists of terms', MOST_TERM_LISTS).nullish(),
    moderation: guardModerationSchema.nullish(),
    webhook: guardWebhookSchema.nullish(),
    hold_characters: integer(
      `must be ${HELD_CHARACTERS.least} to ${HELD_CHARACTERS.most} characters`,
      HELD_CHARACTERS.least,
      HELD_CHARACTERS.most,
    ).nullish(),
    unguarded: oneOf(UNGUARDED_MODES).nullish(),
  },
  MAP,
);

/** The known fields of guards, by their places in a configuration file. */
export const GUARD_FIELDS = {
  guards: Object.keys(guardSchema.shape),
  'guards.patterns': Object.keys(guardPatternSchema.shape),
  'guards.pii': Object.keys(guardPiiSchema.shape),
  'guards.terms': Object.keys(guardTermsSchema.shape),
  'guards.moderation': Object.keys(guardModerationSchema.shape),
  'guards.webhook': Object.keys(guardWebhookSchema.shape),
};

/** The ids of guards that an account, a key or a model names. A repeated id counts once. */
export const guardIds = listOf(identifier, 'guards', MOST_NAMED_GUARDS).transform((ids) => [...new Set(ids)]);

/** Returns the member of an object with guards; no member without any. */
export function guardsMember(ids: readonly string[] | null | undefined): { readonly guards?: readonly string[] } {
  return ids == null || ids.length === 0 ? {} : { guards: ids };
}

/** Returns a checked guard with every default filled in. By default personal data is masked, and anything else refused. */
export function guardFrom(guard: z.output<typeof guardSchema>): ConfiguredGuard {
  return {
    id: guard.id,
    name: guard.name ?? guard.id,
    stages:
      guard.stages == null ? ['input'] : GUARD_STAGES.filter((stage) => guard.stages?.some((one) => one === stage)),
    patterns: (guard.patterns ?? []).map(({ name: rule, pattern, ignore_case, action: does }) => ({
      ...{ name: rule, pattern, ignoreCase: ignore_case ?? false, action: does ?? 'refuse' },
    })),
    pii: (guard.pii ?? []).map(({ class: kind, action: does }) => ({ kind, action: does ?? 'mask' })),
    terms: (guard.terms ?? []).map(({ name: rule, terms, within_words, leetspeak, action: does }) => ({
      ...{ name: rule, terms, withinWords: within_words ?? false, leetspeak: leetspeak ?? false },
      action: does ?? 'refuse',
    })),
    ...(guard.moderation != null && { moderation: moderationFrom(guard.moderation) }),
    ...(guard.webhook != null && { webhook: webhookFrom(guard.webhook) }),
    ...(guard.hold_characters != null && { holdCharacters: guard.hold_characters }),
    unguarded: guard.unguarded ?? 'refuse',
  };
}

/** The defaults refuse the categories that the model flags, and requests that it cannot check. */
function moderationFrom(rule: z.output<typeof guardModerationSchema>): ModerationRule {
  const { model, thresholds, action: does, images, on_failure, timeout_ms } = rule;
  return {
    ...{ model, thresholds: thresholds ?? {}, action: does ?? 'refuse', images: images ?? false },
    ...{ onFailure: on_failure ?? 'closed', timeoutMs: timeout_ms ?? USUAL_TIMEOUT_MS },
  };
}

function webhookFrom({ url, secret, on_failure, timeout_ms }: z.output<typeof guardWebhookSchema>): WebhookRule {
  return { url, secret, onFailure: on_failure ?? 'closed', timeoutMs: timeout_ms ?? USUAL_TIMEOUT_MS };
}

/** Returns a guard in the form of its schema. */
export function guardFields(guard: ConfiguredGuard) {
  const { id, name: label, stages, patterns, pii, terms, moderation, webhook, holdCharacters, unguarded } = guard;
  return {
    ...{ id, name: label, stages },
    patterns: patterns.map(({ ignoreCase: ignore_case, ...rule }) => ({ ...rule, ignore_case })),
    pii: pii.map(({ kind, action: does }) => ({ class: kind, action: does })),
    terms: terms.map(({ withinWords: within_words, ...rule }) => ({ ...rule, within_words })),
    moderation: moderation === undefined ? null : moderationFields(moderation),
    webhook: webhook === undefined ? null : webhookFields(webhook),
    hold_characters: holdCharacters ?? null,
    unguarded,
  };
}

function moderationFields({ onFailure: on_failure, timeoutMs: timeout_ms, ...rule }: ModerationRule) {
  return { ...rule, on_failure, timeout_ms };
}

function webhookFields({ url, secret, onFailure: on_failure, timeoutMs: timeout_ms }: WebhookRule) {
  return { url, secret, on_failure, timeout_ms };
}

/** Returns the fields of a guard as operators see them: of its webhook, only the host, since the rest may be a credential. */
export function shownGuardFields(guard: ConfiguredGuard) {
  const { webhook, ...fields } = guardFields(guard);
  if (webhook === null) return { ...fields, webhook };
  const { url, on_failure, timeout_ms } = webhook;
  return { ...fields, webhook: { url_preview: new URL(url).origin, on_failure, timeout_ms } };
}

/** Returns the problems of a guard that involve several of its rules: each has a name of its own. */
export function guardProblems(guard: unknown, path: readonly (string | number)[] = []): Problem[] {
  const named = ['patterns', 'terms'].flatMap((kind) =>
    list(field(guard, kind)).map((rule, at) => [[...path, kind, at, 'name'], textIn(rule, 'name')] as const),
  );
  const classes = list(field(guard, 'pii')).map(
    (rule, at) => [[...path, 'pii', at, 'class'], textIn(rule, 'class')] as const,
  );
  return duplicates([...named, ...classes]);
}

/**
 * Returns the problems of a file's guards: repeated ids, webhooks that would not be asked, and guards that an account, a key or a model names
 * and that do not exist.
 */
export function guardsProblems(configuration: unknown): Problem[] {
  const guards = list(field(configuration, 'guards'));
  const known = new Set(guards.flatMap((guard) => textIn(guard, 'id') ?? []));
  const missing = (holder: unknown, path: readonly (string | number)[]): Problem[] =>
    list(field(holder, 'guards')).flatMap((id, at) => {
      if (typeof id !== 'string' || known.has(id)) return [];
      return [{ path: [...path, 'guards', at], message: 'must be the id of a guard in this file', isAboutValue: true }];
    });
  return [
    ...duplicates(guards.map((guard, at) => [['guards', at, 'id'], textIn(guard, 'id')])),
    ...guards.flatMap((guard, at) => guardProblems(guard, ['guards', at])),
    ...guards.flatMap((guard, at) =>
      webhookAddressProblems(
        textIn(field(guard, 'webhook'), 'url'),
        ['guards', at, 'webhook', 'url'],
        field(configuration, 'alerts'),
      ),
    ),
    ...list(field(configuration, 'models')).flatMap((model, at) => missing(model, ['models', at])),
    ...list(field(configuration, 'accounts')).flatMap((account, at) => [
      ...missing(account, ['accounts', at]),
      ...list(field(account, 'keys')).flatMap((key, place) => missing(key, ['accounts', at, 'keys', place])),
    ]),
  ];
}

import type { CreateGuardRequest, Guard } from '../../api/schema.ts';
import { numberSaid, said } from '../shared/written.ts';

export const CLASSES = ['email', 'phone', 'card', 'iban', 'us_ssn', 'ip_address', 'secret'] as const;
export const ACTIONS = ['mask', 'refuse', 'flag'] as const;
type Action = (typeof ACTIONS)[number];
type Class = (typeof CLASSES)[number];

interface PatternValues {
  name: string;
  pattern: string;
  ignoreCase: boolean;
  action: Action;
}

interface TermsValues {
  name: string;
  /** One per line. */
  terms: string;
  withinWords: boolean;
  leetspeak: boolean;
  action: Action;
}

/** A guard in its form: texts, empty if not set. */
export interface GuardValues {
  id: string;
  name: string;
  input: boolean;
  output: boolean;
  /** `''` for a class that is not looked for. */
  pii: Record<Class, Action | ''>;
  patterns: PatternValues[];
  terms: TermsValues[];
  moderation: {
    model: string;
    /** `category=score`. */
    thresholds: string[];
    action: 'refuse' | 'flag';
    images: boolean;
    onFailure: 'open' | 'closed';
    timeout: string;
  };
  webhook: {
    isUsed: boolean;
    url: string;
    secret: string;
    onFailure: 'open' | 'closed';
    timeout: string;
  };
  hold: string;
  unguarded: 'refuse' | 'allow';
}

export const NEW_PATTERN: PatternValues = { name: '', pattern: '', ignoreCase: false, action: 'refuse' };
export const NEW_TERMS: TermsValues = { name: '', terms: '', withinWords: false, leetspeak: false, action: 'refuse' };

export function valuesOf(guard: Guard | null): GuardValues {
  const { stages = ['input'], pii = [], patterns = [], terms = [], moderation, webhook } = guard ?? {};
  const actionOf = (name: Class) => pii.find((rule) => rule.class === name)?.action ?? '';
  return {
    id: guard?.id ?? '',
    name: guard?.name ?? '',
    input: stages.includes('input'),
    output: stages.includes('output'),
    pii: Object.fromEntries(CLASSES.map((name) => [name, actionOf(name)])) as GuardValues['pii'],
    patterns: patterns.map(({ ignore_case: ignoreCase, name, pattern, action }) => ({
      ...{ name, pattern, ignoreCase, action },
    })),
    terms: terms.map(({ name, terms: listed, within_words: withinWords, leetspeak, action }) => ({
      ...{ name, terms: listed.join('\n'), withinWords, leetspeak, action },
    })),
    moderation: {
      model: moderation?.model ?? '',
      thresholds: Object.entries(moderation?.thresholds ?? {}).map(([category, score]) => `${category}=${score}`),
      action: moderation?.action ?? 'refuse',
      images: moderation?.images ?? false,
      onFailure: moderation?.on_failure ?? 'closed',
      timeout: moderation?.timeout_ms.toString() ?? '',
    },
    webhook: {
      ...{ isUsed: webhook != null, url: '', secret: '', onFailure: webhook?.on_failure ?? 'closed' },
      timeout: webhook?.timeout_ms.toString() ?? '',
    },
    hold: guard?.hold_characters?.toString() ?? '',
    unguarded: guard?.unguarded ?? 'refuse',
  };
}

/** The body without what only a webhook that exists may leave out. */
type GuardBody = Omit<CreateGuardRequest, 'id' | 'webhook'> & {
  readonly webhook: Partial<NonNullable<CreateGuardRequest['webhook']>> | null;
};

/** Returns the body for the API; `null` resets a member to its default. */
export function bodyOf(values: GuardValues): GuardBody {
  const { name, input, output, pii, patterns, terms, hold, unguarded } = values;
  return {
    name: said(name),
    stages: [...(input ? (['input'] as const) : []), ...(output ? (['output'] as const) : [])],
    pii: CLASSES.flatMap((kind) => {
      const action = pii[kind];
      return action === '' ? [] : [{ class: kind, action }];
    }),
    patterns: patterns.map(({ name: rule, pattern, ignoreCase: ignore_case, action }) => ({
      ...{ name: rule.trim(), pattern, ignore_case, action },
    })),
    terms: terms.map(({ name: rule, terms: listed, withinWords: within_words, leetspeak, action }) => ({
      ...{ name: rule.trim(), terms: linesOf(listed), within_words, leetspeak, action },
    })),
    moderation: moderationOf(values.moderation),
    webhook: webhookOf(values.webhook),
    hold_characters: numberSaid(hold),
    unguarded,
  };
}

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => said(line) ?? []);
}

function moderationOf(values: GuardValues['moderation']): CreateGuardRequest['moderation'] {
  const model = said(values.model);
  if (model === null) return null;
  const { action, images, onFailure: on_failure, timeout } = values;
  const thresholds = values.thresholds.map((one) => {
    const [category = '', score = ''] = one.split('=');
    // A missing score is sent as text, so that the gateway reports it.
    return [category.trim(), numberSaid(score) ?? ''] as const;
  });
  return {
    ...{ model, action, images, on_failure, timeout_ms: numberSaid(timeout) },
    thresholds: Object.fromEntries(thresholds) as Record<string, number>,
  };
}

function webhookOf({ isUsed, url, secret, onFailure: on_failure, timeout }: GuardValues['webhook']) {
  if (!isUsed) return null;
  const [address, key] = [said(url), said(secret)];
  return {
    ...(address !== null && { url: address }),
    ...(key !== null && { secret: key }),
    ...{ on_failure, timeout_ms: numberSaid(timeout) },
  };
}

/** The form's fields for members of the API. */
export const FIELD_OF = {
  stages: 'input',
  'moderation.on_failure': 'moderation.onFailure',
  'moderation.timeout_ms': 'moderation.timeout',
  'webhook.on_failure': 'webhook.onFailure',
  'webhook.timeout_ms': 'webhook.timeout',
  hold_characters: 'hold',
} as const;

/** Returns a signing secret in the form of Standard Webhooks. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}
